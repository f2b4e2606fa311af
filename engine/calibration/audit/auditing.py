"""An audit put together from labels, scores and the values of changed answers."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from operator import itemgetter

import numpy as np

from engine.calibration.audit.audit_records import Audit, Bin, Confidence, Drift, MetricAudit
from engine.calibration.audit.changes import SAME, changes_of
from engine.calibration.audit.effects import Value, Values, consistency, drifts, probes, usable
from engine.calibration.audit.plan import AuditPlan
from engine.calibration.audit.probing import Probed, Prober, probed_answers, spec_of
from engine.calibration.audit.verdict import metric_audit, overall
from engine.calibration.calibrate import calibrate_judges
from engine.calibration.calibration_records import Grade, JudgeCalibration, Standing, Truth
from engine.calibration.judge_values import learned_groups, standing_of, values_of
from engine.calibration.measures import labels_of
from engine.calibration.truths import FORM, answers_of, truths_of
from engine.jobs.pool import child_workspace
from engine.judge.base import LABELLED, JudgeSpec
from engine.judge.jury.verdict import verdict
from engine.judge.registry import judges, metric_spec
from engine.labelling.forms import load_form
from engine.metrics.spec import MetricSpec
from engine.statistics.agreement.intervals import measures
from engine.statistics.agreement.statistic import Statistic
from store.errors import InputError, NotFound
from store.labels import standing
from store.records import MetricScore, ScoreState
from store.runs import audits, judge_scores, judged_answers
from store.runs import runs as store_runs
from store.runs.audits import ProbeScore
from store.runs.judge_scores import StoredJudge
from store.workspace import Workspace

LEAST_IN_BIN = 15
"""Labels in a bin of a calibration curve."""
MOST_BINS = 10


def make_audit(plan: AuditPlan) -> Audit:
    """The audit in a child process, once all is asked."""
    return audited(child_workspace(), plan)


def audited(workspace: Workspace, plan: AuditPlan) -> Audit:
    """The audit from what is stored now."""
    db = workspace.db
    judge = judge_scores.get(db, plan.judge_id)
    run_names = [store_runs.get(db, number).name for number in plan.run_ids]
    against_people = _against_people(workspace, judge, run_names)
    wanted = plan.metrics
    measured: list[MetricAudit] = []
    if against_people is not None:
        raters = _Raters(db)
        measured = [
            metric_audit(one, raters(one.metric))
            for one in against_people.metrics
            if one.metric and (one.metric in wanted or not wanted)
        ]
    standing_now = _standing(workspace, judge)
    if against_people is not None and against_people.hash != judge.hash:
        standing_now = "stale"
    answers = probed_answers(db, plan.run_ids, plan.answers)
    probed = _Probes(db, plan, answers)
    asked = {metric for one in plan.asked for metric in one.metrics}
    found, reasons, more = overall(
        standing_now,
        measured,
        probed.probes,
        plan.not_probed,
        is_labelled=not asked or not asked.isdisjoint(LABELLED),
    )
    return Audit(
        judge=judge.label,
        name=judge.name,
        hash=judge.hash,
        kind=judge.kind,
        standing=standing_now,
        runs=tuple(run_names),
        labels=sum(one.calibration.n for one in measured),
        probed=len(answers) if plan.asked else 0,
        verdict=found,
        reasons=reasons,
        more=more,
        pooled=against_people.metrics[0] if against_people and against_people.metrics else None,
        metrics=tuple(measured),
        confidence=tuple(_confidence(db, judge, run_names, wanted)),
        consistency=tuple(consistency(probed.values, probed.specs)),
        probes=tuple(probed.probes),
        drifts=tuple(_drifts(db, plan, answers, probed)),
        wordings=tuple(_wordings(db, plan, answers, probed)),
        not_probed=plan.not_probed,
    )


def _against_people(
    workspace: Workspace, judge: StoredJudge, run_names: Sequence[str]
) -> JudgeCalibration | None:
    """The judge against people; where this configuration has scored nothing that is labelled, an
    older one of its name; None where nothing is labelled."""
    for name in (f"{judge.name}@{judge_scores.short(judge)}", judge.name):
        try:
            found = calibrate_judges(workspace, runs=run_names, judges=[name])
        except NotFound:
            continue
        except InputError:
            return None
        return found.judges[0]
    return None


def _standing(workspace: Workspace, judge: StoredJudge) -> Standing:
    configured = {one.name: one.hash for one in judges(workspace.folder).values()}
    return standing_of(judge, configured)


class _Probes:
    """The values that the judge gave to changed answers, and what follows from them."""

    def __init__(self, db: sqlite3.Connection, plan: AuditPlan, answers: Sequence[Probed]) -> None:
        self.groups = {one.prediction_id: one.group for one in answers}
        self.values: Values = {}
        self.specs: list[MetricSpec] = []
        self.probes = []
        for asked in plan.of_itself[:1]:
            spec = asked.spec(db)
            self.values = (
                _of_jury(db, plan, self.groups)
                if plan.is_jury
                else values_within(db, asked.judge_id, self.groups)
            )
            self.specs = [spec_of(spec, metric) for metric in spec.metrics]
            counts = _asked(db, spec, answers, changes_of("", is_jury=plan.is_jury))
            self.probes = probes(self.values, self.specs, self.groups, counts)


def _asked(
    db: sqlite3.Connection,
    spec: JudgeSpec,
    answers: Sequence[Probed],
    changes: Collection[str] | None,
) -> dict[tuple[str, str], int]:
    """How many values were asked for, by change and metric."""
    prober = Prober(db, spec, answers)
    return Counter(
        (asking.change, metric)
        for answer in answers
        for asking in prober.askings(answer, changes)
        for metric in asking.metrics
    )


def _of_jury(db: sqlite3.Connection, plan: AuditPlan, inside: Mapping[int, str]) -> Values:
    """What a jury says of the changed answers that all its members were asked about; a member that
    computes says the same whenever it is asked."""
    said: dict[tuple[int, str, str], dict[str, dict[int, ProbeScore]]] = {}
    for asked in plan.of_itself:
        name = judge_scores.get(db, asked.judge_id).name
        for one in audits.scores(db, asked.judge_id):
            if one.prediction_id in inside:
                by_member = said.setdefault((one.prediction_id, one.change, one.metric), {})
                by_member.setdefault(name, {})[one.repeat] = one
    quorum = judge_scores.get(db, plan.judge_id).config["quorum"]
    given = []
    for (answer, change, metric), members in said.items():
        if sum(0 in repeats for repeats in members.values()) < len(plan.of_itself):
            continue
        for repeat in sorted({number for repeats in members.values() for number in repeats}):
            then = {name: repeats.get(repeat, repeats[0]) for name, repeats in members.items()}
            scores = {
                name: MetricScore(metric, "standard", one.value, one.state)
                for name, one in then.items()
            }
            score = verdict(metric, scores, quorum)
            given.append(ProbeScore(answer, change, metric, repeat, score.state, score.value))
    return usable(given)


def values_within(db: sqlite3.Connection, judge_id: int, inside: Mapping[int, str]) -> Values:
    """A judge's usable values of the changed answers among these."""
    return usable(one for one in audits.scores(db, judge_id) if one.prediction_id in inside)


def _drifts(
    db: sqlite3.Connection, plan: AuditPlan, answers: Sequence[Probed], probed: _Probes
) -> list[Drift]:
    """The judge beside the one that it is compared with, on what that one has scored."""
    if plan.against_id is None:
        return []
    other = judge_scores.get(db, plan.against_id)
    numbers = [one.prediction_id for one in answers]
    metrics = list(plan.metrics) or sorted(
        {metric for one in plan.of_itself[:1] for metric in one.metrics}
    )
    stored = plan.judge_id
    mine = probed.values
    specs = probed.specs
    if not plan.asked:
        specs = [metric_spec(metric) for metric in metrics]
        mine = {SAME: _repeats(db, stored, metrics, numbers)}
    theirs = {
        key: repeats[0]
        for key, repeats in _repeats(db, other.id, metrics, numbers).items()
        if 0 in repeats
    }
    right = _Right(db, judge_scores.get(db, stored), numbers)
    return drifts(other.label, mine, theirs, specs, probed.groups, right)


def _repeats(
    db: sqlite3.Connection, judge_id: int, metrics: Sequence[str], numbers: Sequence[int]
) -> dict[tuple[int, str], dict[int, Value]]:
    """A judge's usable scores by answer and metric, and repeat."""
    out: dict[tuple[int, str], dict[int, Value]] = {}
    for one in judged_answers.scores(db, judge_id, metrics, prediction_ids=numbers):
        if one.state in (ScoreState.OK, ScoreState.NA):
            repeats = out.setdefault((one.prediction_id, one.metric), {})
            repeats[one.repeat] = (one.state, one.value)
    return out


def _wordings(
    db: sqlite3.Connection, plan: AuditPlan, answers: Sequence[Probed], probed: _Probes
) -> list[Drift]:
    """The judge beside each other wording of its prompts."""
    judge = judge_scores.get(db, plan.judge_id)
    right = _Right(db, judge, [one.prediction_id for one in answers])
    out: list[Drift] = []
    for asked in (one for one in plan.asked if one.prompts):
        given = values_within(db, asked.judge_id, probed.groups)
        theirs = {key: repeats[0] for key, repeats in given.get(SAME, {}).items() if 0 in repeats}
        out += drifts(
            f"prompts {asked.prompts}", probed.values, theirs, probed.specs, probed.groups, right
        )
    return out


class _Right:
    """Whether a value is what people said; None where they said nothing."""

    def __init__(self, db: sqlite3.Connection, judge: StoredJudge, numbers: Sequence[int]) -> None:
        truths = _unseen(db, judge, truths_of(db, (), None, None)[0])
        self._people = {(one.prediction_id, one.metric): one.value for one in truths}

    def __call__(self, answer: int, metric: str, value: Value) -> bool | None:
        said = self._people.get((answer, metric))
        grade: Grade | None = "na" if value[1] is None else int(value[1])
        return None if said is None else said == grade


def _unseen(db: sqlite3.Connection, judge: StoredJudge, truths: Sequence[Truth]) -> list[Truth]:
    """The labels of groups of which the judge was not taught."""
    learned = learned_groups(db, judge)
    return [one for one in truths if one.group_key not in learned]


class _Raters:
    """The agreement of people with each other, by metric, n/a among the values."""

    def __init__(self, db: sqlite3.Connection) -> None:
        rated = [one for one in standing.rated(db, load_form(FORM)) if not one.subject.is_repeat]
        self._names = sorted({one.rater for one in rated})
        self._rated = rated

    def __call__(self, metric: str) -> dict[str, Statistic]:
        given: dict[str, dict[str, Grade]] = {}
        groups: dict[str, str] = {}
        for one in self._rated:
            if one.field == metric:
                value: Grade = "na" if one.value == "na" else int(str(one.value))
                given.setdefault(one.subject.base, {})[one.rater] = value
                groups[one.subject.base] = one.group_key
        rows = [[values.get(name) for name in self._names] for values in given.values()]
        return measures(
            rows if len(self._names) > 1 else [],
            labels_of(metric),
            ("kappa_plain", "ac1"),
            [groups[subject] for subject in given],
        )


def _confidence(
    db: sqlite3.Connection, judge: StoredJudge, run_names: Sequence[str], wanted: Sequence[str]
) -> list[Confidence]:
    """How well the probabilities that a judge states beside its scores hold, by metric."""
    truths = _unseen(db, judge, truths_of(db, run_names, None, None)[0])
    stated = judged_answers.probabilities(db, judge.id, answers_of(truths))
    given, _ = values_of(db, judge, truths)
    out = []
    for metric in dict.fromkeys(one.metric for one in truths):
        pairs = [
            (stated[key], float(given[key].grade == one.value))
            for one in truths
            if one.metric == metric
            and (key := (one.prediction_id, metric)) in stated
            and key in given
            and given[key].grade is not None
        ]
        if pairs and (metric in wanted or not wanted):
            out.append(_measured(metric, pairs))
    return out


def _measured(metric: str, pairs: Sequence[tuple[float, float]]) -> Confidence:
    stated, right = (np.array(side) for side in zip(*sorted(pairs, key=itemgetter(0)), strict=True))
    parts = min(MOST_BINS, len(pairs) // LEAST_IN_BIN)
    bins: list[Bin] = []
    if parts > 1:
        bins = [
            Bin(len(mean), float(mean.mean()), float(said.mean()))
            for mean, said in zip(
                np.array_split(stated, parts), np.array_split(right, parts), strict=True
            )
        ]
    error = sum(one.n * abs(one.stated - one.right) for one in bins) / len(pairs)
    return Confidence(
        metric,
        len(pairs),
        float(((stated - right) ** 2).mean()),
        error if bins else None,
        tuple(bins),
    )
