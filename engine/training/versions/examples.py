"""Judged answers of the train side as examples for a model judge: no other side can be named."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from msgspec import Struct

from engine.judge.applies import known_scores
from engine.judge.base import LABELLED
from engine.judge.model.asking import Example, ExampleText
from engine.metrics.spec import resolve
from engine.training.data.cases import LabelledCase, labelled_cases
from engine.training.data.sides import SPLIT_NAME, assign_sides
from store.errors import InputError, UsageError
from store.hashing import content_hash
from store.messages import choices
from store.records import ScoreState
from store.runs import judged_answers
from store.workspace import Workspace

SIDE = "train"


class WantedExamples(Struct, frozen=True):
    metrics: tuple[str, ...] = LABELLED
    each: int = 1
    """Of every value of a metric, in every language that the labelled answers have."""
    split: str = SPLIT_NAME
    wrong_by: int | None = None
    """A stored judge: answers that it got wrong come first."""
    seed: int = 0


def choose_examples(workspace: Workspace, wanted: WantedExamples) -> list[Example]:
    """Examples of every value that people gave on the train side, of different questions where
    there are enough.

    Answers that have no side yet get one. Raises UsageError for a metric that people do not label
    and a number below 1, InputError when the train side has no label.
    """
    for metric in wanted.metrics:
        if metric not in LABELLED:
            raise UsageError(
                f"People do not label {metric!r}.", choices(metric, LABELLED, "Metrics")
            )
    if wanted.each < 1:
        raise UsageError("At least one example of every value is chosen.")
    every = labelled_cases(workspace.db)
    placed = assign_sides(workspace, every, name=wanted.split)
    train = [case for case in every if placed[case.name].side == SIDE]
    wrong = _wrong(workspace.db, wanted.wrong_by, train)
    chosen = [
        _example(case, metric)
        for metric in wanted.metrics
        for case in _chosen(train, metric, wanted, wrong)
    ]
    if not chosen:
        raise InputError(
            f"The train side of split {wanted.split!r} has no label of these metrics.",
            "Label more answers: three in ten, or more, are on it.",
        )
    return chosen


def _chosen(
    cases: Sequence[LabelledCase],
    metric: str,
    wanted: WantedExamples,
    wrong: set[tuple[str, str]],
) -> Iterator[LabelledCase]:
    """Of each language and value, in turn, so that equal values do not stand together."""
    classes: dict[tuple[str, str], list[LabelledCase]] = {}
    for case in cases:
        # what is known without asking needs no example
        asked = metric in case.labels and not known_scores(case.case, [metric])
        if asked and case.case.golden_answers:
            key = (str(case.case.lang), case.labels[metric].name)
            classes.setdefault(key, []).append(case)
    used: set[str] = set()
    kept = []
    for key in sorted(classes):
        ordered = sorted(
            classes[key],
            key=lambda case: (
                (case.name, metric) not in wrong,
                case.labels[metric].source == "single",
                content_hash([wanted.seed, case.dataset, case.item_key, case.turn, case.run]),
            ),
        )
        fresh = [case for case in ordered if case.group not in used]
        taken = [*fresh, *(case for case in ordered if case.group in used)][: wanted.each]
        used |= {case.group for case in taken}
        kept.append(taken)
    for turn in zip_longest(*kept):
        yield from (case for case in turn if case is not None)


def _wrong(
    db: sqlite3.Connection, judge_id: int | None, cases: Sequence[LabelledCase]
) -> set[tuple[str, str]]:
    """The answers and metrics on which a judge does not say what people say."""
    if judge_id is None:
        return set()
    people: Mapping[str, LabelledCase] = {case.name: case for case in cases}
    scores = judged_answers.scores(
        db, judge_id, LABELLED, prediction_ids=[int(case.name) for case in cases]
    )
    out = set()
    for one in scores:
        label = people[str(one.prediction_id)].labels.get(one.metric)
        said = "na" if one.state is ScoreState.NA else None if one.value is None else one.value
        if label is not None and one.repeat == 0 and said is not None:
            same = label.name == (said if isinstance(said, str) else str(int(said)))
            out |= set() if same else {(str(one.prediction_id), one.metric)}
    return out


def _example(case: LabelledCase, metric: str) -> Example:
    label = case.labels[metric].value
    read: Iterable[ExampleText] = ()
    if "retrieved" in resolve(metric).needs:
        read = (ExampleText(one.text, one.title) for one in case.case.passages)
    return Example(
        metric,
        case.case.question,
        case.case.answer,
        case.case.golden_answers,
        "na" if label is None else label,
        case.case.lang,
        tuple(read),
    )
