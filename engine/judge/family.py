"""Whether a judge and the answerer that it judges are models of one family.

The families stand in `families.txt`: under the
name of each, how the names of its models begin.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable

from engine.text.word_lists import lists_of
from store.runs import judge_scores
from store.runs.judge_scores import StoredJudge
from store.runs.runs import Run


def families(model: str) -> frozenset[str]:
    """The families that a model's name tells: none for an unknown one, two for a model of one that
    was taught by another, such as `deepseek-r1-distill-qwen-7b`."""
    words = re.findall(r"[a-z]+\d*", model.casefold())
    return frozenset(
        family
        for family, beginnings in lists_of("engine.judge", "families.txt").items()
        if any(re.fullmatch(rf"(?:{'|'.join(beginnings)})\d*", word) for word in words)
    )


def shared_families(judges: Iterable[str], run: Run) -> tuple[str, ...]:
    """The families that models which judge share with the model that answered in a run, by name;
    none where the answers are not a model's, or of one that is not known."""
    answerer = families(str((run.settings.provider or {}).get("model", "")))
    return tuple(sorted(answerer & {family for model in judges for family in families(model)}))


def models_of(db: sqlite3.Connection, judge: StoredJudge) -> list[str]:
    """The models that a judge asks, or that its members ask."""
    members = [one["hash"] for one in judge.config.get("members", ())]
    configs = [judge.config, *judge_scores.configs(db, members)]
    return [config["provider"]["model"] for config in configs if "provider" in config]
