"""Records of judge data: one metric of one answer, with all that a prompt shows and who said what.

A record stands alone: with the templates beside it, the files for trainers follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

from msgspec import Struct

from engine.judge.applies import known_scores
from engine.judge.base import Case
from engine.judge.model.asking import ASKED_METRICS
from engine.labelling.human_label import HumanLabel, LabelSource
from engine.metrics.spec import resolve
from engine.training.data.cases import LabelledCase
from store.labels.consensus import RaterValue
from store.labels.forms import NA
from store.labels.standing import Key, Provenance
from store.records import Lang, Passage


class Document(Struct, frozen=True):
    """A text that the system retrieved, best first."""

    title: str
    text: str


class JudgeRecord(Struct, frozen=True):
    """One metric of one answer, labelled."""

    id: str
    split: str
    metric: str
    label: int | None
    """On the metric's scale; null where the metric does not apply."""
    applicable: bool
    question: str
    history: tuple[tuple[str, str], ...]
    golden_answers: tuple[str, ...]
    response: str
    documents: tuple[Document, ...]
    lang: Lang
    group_id: str
    """The question: all its records are on one side."""
    response_id: str
    run: str
    system_id: str
    topic: str
    task: str
    source: LabelSource
    rater_labels: tuple[int | None, ...]
    raters: tuple[str, ...]
    """In the order of `rater_labels`."""
    agreement: float | None
    """Share of raters who gave the label; null for a metric that nobody was asked."""
    adjudicator: str
    rationale: str
    """The raters' comments on the metric."""
    revealed_before: bool
    """Whether a rater had looked at what the form hides."""
    origins: tuple[str, ...]
    active_ms_median: int | None
    guideline_versions: tuple[str, ...]
    template_id: str
    template_sha256: str
    soft_label: dict[str, float] | None = None
    """Share of raters by value; only where it was asked for."""
    aids_before: bool = False
    """Whether a rater could see the comparison with the golden answer before labelling."""

    def as_case(self) -> Case:
        """The case as a judge is shown it."""
        return Case(
            prediction_id=0,
            question=self.question,
            history=self.history,
            golden_answers=self.golden_answers,
            answer=self.response,
            passages=tuple(
                Passage("", document.title, document.text) for document in self.documents
            ),
            lang=self.lang,
        )


class Template(Struct, frozen=True):
    """The template that asks for a metric in a language."""

    id: str
    sha256: str


def records_of(
    case: LabelledCase,
    side: str,
    metrics: Sequence[str],
    provenance: Mapping[Key, Provenance],
    template: Callable[[str, Lang], Template],
    name: Callable[[str], str],
    *,
    soft: bool,
) -> list[JudgeRecord]:
    """A record for each of `metrics` that has a label which a judge could learn.

    A metric that does not apply to the answer and that no judge is asked for (hallucination in
    closed-book) has none. `name` is how a rater is called.
    """
    never_asked = {
        metric
        for metric in known_scores(case.case, [one for one in metrics if one in ASKED_METRICS])
        if "retrieved" in resolve(metric).needs
    }
    return [
        _record(case, side, metric, case.labels[metric], provenance, template, name, soft)
        for metric in metrics
        if metric in case.labels and metric not in never_asked
    ]


def _record(
    case: LabelledCase,
    side: str,
    metric: str,
    label: HumanLabel,
    provenance: Mapping[Key, Provenance],
    template: Callable[[str, Lang], Template],
    name: Callable[[str], str],
    soft: bool,
) -> JudgeRecord:
    known = [
        entry
        for rater in label.raters
        if (entry := provenance.get((case.name, metric, rater.rater))) is not None
    ]
    used = template(metric, case.case.lang)
    response = f"{case.run}/{case.item_key}/{case.turn}"
    if case.repeat:
        response += f"/{case.repeat}"
    return JudgeRecord(
        id=f"{response}/{metric}",
        split=side,
        metric=metric,
        label=label.value,
        applicable=label.value is not None,
        question=case.case.question,
        history=case.case.history,
        golden_answers=case.case.golden_answers,
        response=case.case.answer,
        documents=tuple(Document(one.title, one.text) for one in case.case.passages),
        lang=case.case.lang,
        group_id=case.group,
        response_id=response,
        run=case.run,
        system_id=case.system,
        topic=case.topic,
        task=case.task,
        source=label.source,
        rater_labels=tuple(_number(rater.value) for rater in label.raters),
        raters=tuple(name(rater.rater) for rater in label.raters),
        agreement=_agreement(label),
        adjudicator=name(label.adjudicator) if label.adjudicator else "",
        rationale="\n".join(one.comment.strip() for one in known if one.comment.strip()),
        revealed_before=any(one.origin == "human_after_reveal" for one in known),
        aids_before=any(one.origin == "human_with_aids" for one in known),
        origins=tuple(sorted({one.origin for one in known})),
        active_ms_median=round(median(one.active_ms for one in known)) if known else None,
        guideline_versions=tuple(sorted({one.guideline for one in known if one.guideline})),
        template_id=used.id,
        template_sha256=used.sha256,
        soft_label=_soft(label.raters) if soft else None,
    )


def _number(value: object) -> int | None:
    return None if value == NA else int(value)  # type: ignore[call-overload]


def _agreement(label: HumanLabel) -> float | None:
    if not label.raters:
        return None
    same = sum(_number(rater.value) == label.value for rater in label.raters)
    return round(same / len(label.raters), 6)


def _soft(raters: Iterable[RaterValue]) -> dict[str, float]:
    values = [str(rater.value) for rater in raters]
    return {value: round(values.count(value) / len(values), 6) for value in sorted(set(values))}
