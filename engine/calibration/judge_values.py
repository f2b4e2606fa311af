"""Judges of labelled answers and their values, read from the store."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from engine.calibration.calibration_records import Given, Standing, Truth
from engine.calibration.measures import Key
from engine.calibration.truths import answers_of
from store.datasets import revisions
from store.errors import NotFound
from store.hashing import content_hash
from store.messages import choices
from store.runs import judge_scores, judged_answers
from store.runs.judge_scores import StoredJudge


def wanted_judges(have: Sequence[StoredJudge], names: Sequence[str]) -> list[StoredJudge]:
    """The judges of these names, `NAME` or `NAME@HASH`; all there are for none. Raises NotFound."""
    if not names:
        names = list(dict.fromkeys(judge.name for judge in have))
    selected: list[StoredJudge] = []
    for name in names:
        chosen = judge_scores.choose(have, name)
        if not chosen:
            known = [judge.label for judge in have]
            raise NotFound(
                f"No judge {name!r} has scored these answers.",
                choices(name, known, "These have", none="none"),
            )
        selected += [judge for judge in chosen if judge not in selected]
    return selected


def teaching(db: sqlite3.Connection, judge: StoredJudge) -> list[dict[str, Any]]:
    """The configurations that tell what a judge was taught: its own, and of a jury its members'."""
    members = [member["hash"] for member in judge.config.get("members", ())]
    return [judge.config, *judge_scores.configs(db, members)]


def learned_groups(db: sqlite3.Connection, judge: StoredJudge) -> set[str]:
    """The groups of which the judge was told people's values, as examples or in training: what it
    learned of an answer it knows of its sisters."""
    configs = teaching(db, judge)
    shown = {example["question"] for one in configs for example in one.get("examples", ())}
    taught = judged_answers.places(db, (id for one in configs for id in one.get("trained_on", ())))
    return {place.group_key for place in taught.values()} | revisions.groups_asking(db, shown)


def values_of(
    db: sqlite3.Connection, judge: StoredJudge, truths: Sequence[Truth]
) -> tuple[dict[Key, Given], float | None]:
    """The judge's first value of each label, and how often its repeats agree."""
    keys = {(truth.prediction_id, truth.metric) for truth in truths}
    repeats: dict[Key, list[Given]] = {}
    metrics = sorted({truth.metric for truth in truths})
    for score in judged_answers.scores(db, judge.id, metrics, prediction_ids=answers_of(truths)):
        key = (score.prediction_id, score.metric)
        if key in keys:
            repeats.setdefault(key, []).append(Given(score.state, score.value))
    several = [given for given in repeats.values() if len(given) > 1]
    steady = (
        sum(all(repeat == given[0] for repeat in given) for given in several) / len(several)
        if several
        else None
    )
    return {key: given[0] for key, given in repeats.items()}, steady


def standing_of(judge: StoredJudge, configured: Mapping[str, str]) -> Standing:
    """The judge's standing beside the one of its name that is configured now."""
    if judge.kind == "imported":
        return "imported"
    if judge.name not in configured:
        return "not configured"
    return "current" if configured[judge.name] == judge.hash else "stale"


def prompt_hashes(config: Mapping[str, Any]) -> dict[str, str]:
    """The hashes of the templates in a judge's configuration, by `LANG/ID`."""
    texts: Mapping[str, str] = config.get("prompts", {})
    return {id: content_hash(text) for id, text in texts.items()}
