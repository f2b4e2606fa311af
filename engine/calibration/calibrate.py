"""Judges calibrated against people's labels, read from the store.

Nothing of a calibration is stored: it follows from labels and scores, and both say what they
belong to. Scores carry the hash of their judge's configuration, so that a calibration holds for
that configuration alone; it is `stale` when the judge is defined otherwise now.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence

from engine.calibration.calibration_records import (
    Calibration,
    Given,
    JudgeCalibration,
    MetricCalibration,
    Truth,
)
from engine.calibration.judge_values import (
    learned_groups,
    prompt_hashes,
    standing_of,
    values_of,
    wanted_judges,
)
from engine.calibration.measures import Key, calibrate, paired_tests
from engine.calibration.populations import label_chances
from engine.calibration.run_means import run_means
from engine.calibration.truths import FORM, answers_of, truths_of, with_aids
from engine.judge.base import LABELLED
from engine.judge.registry import judges as configured_judges
from engine.judge.trust import JudgeTrust
from engine.statistics.agreement.intervals import RESAMPLES
from store.errors import InputError, UsageError
from store.messages import choices
from store.runs import audits, judge_scores, judged_answers
from store.runs.results import MetricKey
from store.workspace import Workspace


def calibrate_judges(
    workspace: Workspace,
    *,
    runs: Sequence[str] = (),
    sample: str | None = None,
    judges: Sequence[str] = (),
    metric: str | None = None,
    resamples: int = RESAMPLES,
) -> Calibration:
    """Every judge of labelled answers against people: of some runs, of a sample, or of all.

    `judges` are `NAME` or `NAME@HASH`; by default the newest configuration of each that has
    scored any of the answers. Raises NotFound for an unknown run, sample or judge, InputError when
    nothing is labelled.
    """
    if metric is not None and metric not in LABELLED:
        raise UsageError(f"People do not label {metric!r}.", choices(metric, LABELLED, "Metrics"))
    db = workspace.db
    truths, disputed = truths_of(db, runs, sample, metric)
    if not truths:
        where = f"sample {sample!r}" if sample else ", ".join(runs) or "this workspace"
        raise InputError(
            f"No answer of {where} has a settled label.",
            "Label some first, in a sample of them.",
            "ragdesk sample draw NAME --form judge_labels --run RUN --per-cell N",
        )
    wanted = wanted_judges(judged_answers.judges(db, answers_of(truths)), judges)
    configured = {one.name: one.hash for one in configured_judges(workspace.folder).values()}
    given: dict[str, Mapping[Key, Given]] = {}
    kept: dict[str, list[Truth]] = {}
    out = []
    for judge in wanted:
        learned = learned_groups(db, judge)
        unseen = [truth for truth in truths if truth.group_key not in learned]
        kept[judge.label] = unseen
        given[judge.label], steady = values_of(db, judge, unseen)
        out.append(
            JudgeCalibration(
                judge=judge.label,
                name=judge.name,
                hash=judge.hash,
                kind=judge.kind,
                standing=standing_of(judge, configured),
                prompts=prompt_hashes(judge.config),
                shown=len(truths) - len(unseen),
                steady=steady,
                metrics=against_people(db, unseen, given[judge.label], sample, resamples),
                means=tuple(run_means(db, judge, unseen, disputed, sample, learned)),
            )
        )
    common = [truth for truth in truths if all(truth in held for held in kept.values())]
    return Calibration(
        answers=len(answers_of(truths)),
        labels=len(truths),
        sources=dict(Counter(truth.source for truth in truths)),
        conflicts=len(disputed),
        with_aids=with_aids(db, truths),
        groups=len({truth.group_key for truth in truths}),
        judges=tuple(out),
        tests=paired_tests(common, given),
    )


def against_people(
    db: sqlite3.Connection,
    truths: Sequence[Truth],
    given: Mapping[Key, Given],
    sample: str | None,
    resamples: int,
    *,
    by_cell: bool = True,
) -> tuple[MetricCalibration, ...]:
    """A judge's values against labels: all metrics pooled first, then each.

    Labels are weighted where they were drawn by chances, by `sample` or by the sample that holds
    most of them; answers that nobody drew are then left out. `resamples` 0 leaves intervals out of
    unweighted figures. This is the one way to every figure of a judge beside people's labels.
    """
    weights = label_chances(db, truths, sample)
    counted = [one for one in truths if weights is None or one.prediction_id in weights]
    return calibrate(counted, given, resamples=resamples, by_cell=by_cell, weights=weights)


def judge_trust(db: sqlite3.Connection, metric: MetricKey) -> JudgeTrust | None:
    """The agreement of the judge behind a metric with people, over all labelled answers.

    None for a metric without a judge, and where nobody has labelled what the judge has scored.
    """
    if not metric.judge_id or metric.name not in LABELLED:
        return None
    if not judged_answers.has_labels(db, FORM):
        return None
    truths, _ = truths_of(db, (), None, metric.name)
    mine = judge_scores.get(db, metric.judge_id)
    others = [
        judge
        for judge in judged_answers.judges(db, answers_of(truths))
        if judge.name == mine.name and judge.id != mine.id
    ]
    for judge in (mine, *reversed(others)):
        learned = learned_groups(db, judge)
        unseen = [truth for truth in truths if truth.group_key not in learned]
        given, _ = values_of(db, judge, unseen)
        for calibration in against_people(db, unseen, given, None, 0, by_cell=False):
            if calibration.metric == metric.name and calibration.n:
                stale = judge.id != mine.id
                audit = audits.latest(db, mine.id)
                verdict = audit.verdict if audit is not None else ""
                return JudgeTrust(mine.name, calibration.kappa.value, calibration.n, stale, verdict)
    return None
