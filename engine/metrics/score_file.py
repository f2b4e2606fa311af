"""Scores the lines of a predictions file without a workspace.

A line is one JSON object; all but `id` is optional: `prediction`, `golden_answers` (text or list of
texts; a plain text is one answer), `retrieved_ids` (best first), `relevant_ids`, `relevance`
(grade by id), `k` (cut-off of map and mrr; default all), and for variant multihop `retrieved_texts`
(best first) and `facts`. An id in both `relevant_ids` and
`relevance` has the grade that `relevance` gives; one in `relevant_ids` alone has grade 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NoReturn

import msgspec
from msgspec import Meta, Struct

from engine.metrics import multihop
from engine.metrics.compute import score_facts, score_ranking, score_text
from engine.metrics.spec import USAGE, metric_names, resolve
from store.errors import InputError, UsageError
from store.records import MetricScore, ScoreState

Id = str | int


class ScoreLine(Struct, frozen=True):
    """One line of the input; null and absent mean the same, other fields are ignored."""

    id: Id
    prediction: str | None = None
    golden_answers: str | list[str] | None = None
    retrieved_ids: list[Id] | None = None
    relevant_ids: list[Id] | None = None
    relevance: dict[str, float] | None = None
    k: Annotated[int, Meta(ge=1)] | None = None
    retrieved_texts: list[str] | None = None
    facts: list[str] | None = None


class ScoredLine(Struct, frozen=True):
    """One line of the output. A score is null unless its state is ok."""

    id: Id
    scores: dict[str, float | None]
    states: dict[str, ScoreState]


class _Metrics(Struct, frozen=True):
    variant: str
    text: tuple[str, ...]
    ranking: tuple[str, ...]
    chosen: bool
    """Whether a person named them; else a line gets those that it carries something for."""


_REMEDIES = {
    "id": "Every line needs an id, a text or a whole number.",
    "prediction": "Write the answer as one text in quotes.",
    "golden_answers": 'Write one text, or a list of texts such as ["2亿元", "二亿元"].',
    "retrieved_ids": 'Write a list of ids, best first, such as ["d7", "d2"].',
    "relevant_ids": 'Write a list of ids, such as ["d2"].',
    "relevance": 'Write a grade for each id, such as {"d2": 1}.',
    "k": "Write a whole number of 1 or more, or leave it out.",
    "retrieved_texts": "Write a list of texts, best first.",
    "facts": "Write a list of texts.",
}
_PLACE = re.compile(r" - at `(?:key in )?\$\.?(?P<field>\w*)[^`]*`$")
_decoder = msgspec.json.Decoder(ScoreLine)
_encoder = msgspec.json.Encoder()


def score_lines(
    lines: Iterable[bytes],
    file_name: str,
    *,
    variant: str = "standard",
    metrics: Sequence[str] | None = None,
) -> Iterator[ScoredLine]:
    """Scores line by line, in order; blank lines are skipped.

    With `metrics` null a line gets the variant's text metrics if it has a prediction or golden
    answers, and its ranking metrics if it has what they go by, retrieved or relevant, `@k` at 1, 3,
    5 and 10.
    States: `na` without golden answers (or judged ids) to compare with, `missing` without a
    prediction (or result list). Raises UsageError at once for an unknown variant or metric, and
    InputError at a line that cannot be read or whose id came before; it names file, line and field.
    """
    return _score_all(lines, file_name, _choose(variant, metrics))


def encode(line: ScoredLine) -> bytes:
    """The output line as JSON, with its line end."""
    return _encoder.encode(line) + b"\n"


def _score_all(lines: Iterable[bytes], file_name: str, metrics: _Metrics) -> Iterator[ScoredLine]:
    first: dict[str | int, int] = {}
    for number, raw in enumerate(lines, start=1):
        text = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
        if text.strip():
            line = _read(text, file_name, number)
            earlier = first.setdefault(line.id, number)
            if earlier != number:
                raise InputError(
                    f"{file_name}, line {number}, field id: {line.id!r} stands at line {earlier}"
                    " already.",
                    "Give every line an id of its own.",
                )
            yield _score_line(line, metrics)


def _choose(variant: str, names: Sequence[str] | None) -> _Metrics:
    if variant == USAGE:
        raise UsageError(
            "What answers take cannot be computed from a file.",
            "Runs know it.",
            "ragdesk matrix RUN --metric tokens --variant usage",
        )
    if names is None:
        text, ranking = metric_names(variant, "text"), metric_names(variant, "ranking")
        return _Metrics(variant, text, ranking, chosen=False)
    specs = [resolve(name, variant) for name in dict.fromkeys(names)]
    judged = [spec.name for spec in specs if spec.family == "judge"]
    if judged:
        raise UsageError(
            f"{', '.join(judged)} cannot be computed from a file alone.",
            "A judge gives it: every run has it.",
            "ragdesk matrix RUN --metric accuracy",
        )
    return _Metrics(
        variant,
        tuple(spec.name for spec in specs if spec.family == "text"),
        tuple(spec.name for spec in specs if spec.family == "ranking"),
        chosen=True,
    )


def _score_line(line: ScoreLine, metrics: _Metrics) -> ScoredLine:
    golden, relevance = _golden_answers(line), _relevance(line)
    scores: list[MetricScore] = []
    if metrics.chosen or line.prediction is not None or golden is not None:
        scores += score_text(metrics.variant, metrics.text, line.prediction, golden)
    if metrics.variant == multihop.VARIANT:
        if metrics.chosen or line.retrieved_texts is not None or line.facts is not None:
            scores += score_facts(metrics.ranking, line.retrieved_texts, line.facts)
    elif metrics.chosen or line.retrieved_ids is not None or relevance is not None:
        retrieved = (
            None
            if line.retrieved_ids is None
            else [str(document_id) for document_id in line.retrieved_ids]
        )
        scores += score_ranking(
            metrics.variant,
            metrics.ranking,
            retrieved,
            relevance,
            k=line.k,
            query_id=str(line.id),
        )
    return ScoredLine(
        line.id,
        {score.metric: score.value for score in scores},
        {score.metric: score.state for score in scores},
    )


def _golden_answers(line: ScoreLine) -> list[str] | None:
    return [line.golden_answers] if isinstance(line.golden_answers, str) else line.golden_answers


def _relevance(line: ScoreLine) -> dict[str, float] | None:
    if line.relevant_ids is None:
        return line.relevance
    return {str(document_id): 1.0 for document_id in line.relevant_ids} | (line.relevance or {})


def _read(raw: bytes, file_name: str, number: int) -> ScoreLine:
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError as error:
        _refuse_field(str(error), file_name, number)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{file_name}, line {number}: not a JSON object in UTF-8 ({error}).",
            "Write one JSON object on each line.",
        ) from None


def _refuse_field(message: str, file_name: str, number: int) -> NoReturn:
    place = _PLACE.search(message)
    field = "id" if "required field `id`" in message else place["field"] if place else ""
    what = _PLACE.sub("", message)
    where = f"{file_name}, line {number}" + (f", field {field}" if field else "")
    remedy = _REMEDIES.get(field, "Write one JSON object on each line.")
    raise InputError(f"{where}: {what[:1].lower()}{what[1:]}.", remedy)
