"""The versions of a judge against people: compared on the validation side, reported on the test
side once each.

A version is a stored configuration of the judge's name. Figures of a side are of labels of that
side alone, and a version that has seen anything of a side has none there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from engine.calibration.calibration_records import Given, MetricCalibration, PairedTest, Truth
from engine.calibration.judge_values import (
    learned_groups,
    prompt_hashes,
    teaching,
    values_of,
)
from engine.calibration.measures import Key, calibrate, paired_tests
from engine.calibration.truths import answers_of, truths_of
from engine.judge.registry import judges as configured_judges
from engine.training.data.cases import LabelledCase, labelled_cases
from engine.training.data.sides import SPLIT_NAME, assign_sides
from engine.training.versions.leaks import leaks
from store.datasets import splits
from store.errors import Conflict, InputError, NotFound
from store.messages import choices
from store.runs import judge_scores, judged_answers, side_readings
from store.runs.judge_scores import StoredJudge
from store.workspace import Workspace

VALIDATION, TEST = "validation", "test"


class Version(Struct, frozen=True):
    """A version of a judge on the validation side."""

    judge: str
    """`NAME@` and digits of its hash."""
    is_current: bool
    """Whether it is what is configured now."""
    model: str
    examples: int
    prompts: dict[str, str]
    """Hashes of its templates, by `LANG/ID`."""
    leaks: tuple[str, ...]
    """What it has seen of the side; then there are no figures."""
    unjudged: int
    """Labels of the side that it has no score beside."""
    metrics: tuple[MetricCalibration, ...]
    """All pooled first, under the empty name."""
    tested_at: str
    """When the test side was asked about it; empty if never."""


class Versions(Struct, frozen=True):
    name: str
    split: str
    labels: int
    """People's labels on the validation side."""
    questions: int
    versions: tuple[Version, ...]
    """Oldest first."""
    tests: tuple[PairedTest, ...]
    """Of each two, on what both judged; Holm over all pairs."""


class TestReading(Struct, frozen=True):
    """What the test side said of a version, once and for all."""

    judge: str
    split: str
    labels: int
    unjudged: int
    metrics: tuple[MetricCalibration, ...]
    before: int
    """Versions that the side had been asked about before: with each, the best of them is more
    likely to be so by chance."""
    over: PairedTest | None
    """The version beside the last one that was tested before, on the same labels; the level to
    judge its p by is .05 divided by the number of versions tested, `before` + 1."""


class _Side:
    """The labels of a side, and all that a judge must not have seen of it."""

    def __init__(self, workspace: Workspace, split: str, side: str) -> None:
        db = self._db = workspace.db
        cases = labelled_cases(db)
        placed = assign_sides(workspace, cases, name=split)
        self._cases: list[LabelledCase] = [case for case in cases if placed[case.name].side == side]
        inside = {int(case.name) for case in self._cases}
        truths, _ = truths_of(db, (), None, None)
        self.truths = [one for one in truths if one.prediction_id in inside]
        self.questions = {case.case.question for case in self._cases}

    def leaks(self, judge: StoredJudge) -> tuple[str, ...]:
        """What a judge has seen of this side, as examples, in training or in its prompts."""
        told = [
            text for case in self._cases for text in (case.case.question, *case.case.golden_answers)
        ]
        found = [
            place
            for config in teaching(self._db, judge)
            for place in leaks(config, told, self.questions)
        ]
        learned = learned_groups(self._db, judge)
        if any(one.group_key in learned for one in self.truths) and not found:
            found.append("answers of its groups")
        return tuple(found)

    def measure(
        self, judge: StoredJudge
    ) -> tuple[tuple[MetricCalibration, ...], int, Mapping[Key, Given]]:
        """The judge against people here, the labels without a score of it, and its values."""
        given, _ = values_of(self._db, judge, self.truths)
        gives = {metric for _, metric in given}
        keys = {(one.prediction_id, one.metric) for one in self.truths if one.metric in gives}
        judged = [one for one in self.truths if (one.prediction_id, one.metric) in given]
        unjudged = len(keys - given.keys()) if gives else len(self.truths)
        return calibrate(judged, given, by_cell=False), unjudged, given


def judge_versions(workspace: Workspace, name: str, split: str = SPLIT_NAME) -> Versions:
    """Every version of a judge that has scored labelled answers, on the validation side.

    Raises NotFound for a judge that has scored none, InputError when the side has no label.
    """
    side = _side(workspace, split, VALIDATION)
    db = workspace.db
    have = _versions_of(db, name)
    stored = splits.get(db, split)
    tested = {one.judge_id: one.read_at for one in side_readings.of_side(db, stored.id, TEST)}
    configured = configured_judges(workspace.folder)
    current = configured[name].hash if name in configured else ""
    versions: list[Version] = []
    values: dict[str, Mapping[Key, Given]] = {}
    for judge in have:
        seen = side.leaks(judge)
        metrics, unjudged, given = ((), len(side.truths), {}) if seen else side.measure(judge)
        if given:
            values[judge.label] = given
        provider = judge.config.get("provider") or {}
        versions.append(
            Version(
                judge.label,
                judge.hash == current,
                str(provider.get("model", "")),
                len(judge.config.get("examples", ())),
                prompt_hashes(judge.config),
                seen,
                unjudged,
                metrics,
                tested.get(judge.id, ""),
            )
        )
    return Versions(
        name,
        split,
        len(side.truths),
        len(side.questions),
        tuple(versions),
        paired_tests(side.truths, values),
    )


def ask_test_side(
    workspace: Workspace, judge: str, split: str = SPLIT_NAME
) -> tuple[TestReading, str]:
    """What the test side says of one version, `NAME@HASH`, and when it was asked.

    It is asked once: a second call returns what was stored. Raises NotFound for an unknown
    version, Conflict for one that has seen something of the side, InputError while it has not
    scored all of its labels.
    """
    db = workspace.db
    side = _side(workspace, split, TEST)
    (version,) = _versions_of(db, judge)[-1:]
    stored = splits.get(db, split)
    earlier = side_readings.of_side(db, stored.id, TEST)
    for one in earlier:
        if one.judge_id == version.id:
            return msgspec.json.decode(one.figures, type=TestReading), one.read_at
    if seen := side.leaks(version):
        raise Conflict(
            f"{version.label} has seen something of the test side: {', '.join(seen)}.",
            "Take examples from the train side.",
            "ragdesk judge-examples FILE",
        )
    metrics, unjudged, given = side.measure(version)
    if unjudged or not metrics:
        raise InputError(
            f"{version.label} has not scored {unjudged:,} labels of the test side.",
            "Let it judge their runs: then it is asked about all of them, once.",
            f"ragdesk judge RUN --judge {version.name}",
        )
    same_name = [one for one in earlier if one.judge == version.name]
    reading = TestReading(
        version.label,
        split,
        len(side.truths),
        unjudged,
        metrics,
        len(same_name),
        _over(db, side.truths, given, version, same_name[-1].judge_id) if same_name else None,
    )
    with workspace.write(durable=True) as writing:
        side_readings.add(writing, version.id, stored.id, TEST, reading)
    return reading, side_readings.of_side(db, stored.id, TEST)[-1].read_at


def _over(
    db: sqlite3.Connection,
    truths: Sequence[Truth],
    given: Mapping[Key, Given],
    version: StoredJudge,
    earlier_id: int,
) -> PairedTest:
    """The version minus the one tested before it."""
    earlier = judge_scores.get(db, earlier_id)
    before, _ = values_of(db, earlier, truths)
    (test,) = paired_tests(truths, {version.label: given, earlier.label: before})
    return test


def _side(workspace: Workspace, split: str, side: str) -> _Side:
    made = _Side(workspace, split, side)
    if not made.truths:
        raise InputError(
            f"The {side} side of split {split!r} has no settled label.",
            "Label more answers, in a sample of them.",
            "ragdesk sample draw NAME --form judge_labels --run RUN --per-cell N",
        )
    return made


def _versions_of(db: sqlite3.Connection, name: str) -> list[StoredJudge]:
    """The versions of a judge that have scored labelled answers, oldest first; one for a hash."""
    truths, _ = truths_of(db, (), None, None)
    have = judged_answers.judges(db, answers_of(truths))
    found = [judge for judge in have if judge.name == name]
    found = found or judge_scores.choose(have, name)
    if not found:
        known = dict.fromkeys(judge.name for judge in have)
        raise NotFound(
            f"No judge {name!r} has scored a labelled answer.",
            choices(name, list(known), "These have", none="none"),
        )
    return found
