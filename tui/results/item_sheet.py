"""The text of one answer in full: turns, golden answers, answer, scores with reasons."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from engine.metrics.spec import SPECS, VARIANTS, cutoff, resolve
from engine.retrieve.index.base import question_of
from engine.text.tokens import count_tokens
from engine.text.wrapping import cell_width, pad, wrap
from store.labels.consensus import Settled
from store.labels.forms import NA
from store.records import HistoryMode, PredictionState, ScoreState, SearchText
from store.runs.details import JudgedScore, PredictionDetail
from tui.language import language, tr
from tui.language.reasons import read_reason
from tui.results.exhibits import evidence_ranks
from tui.results.metric_labels import better, score_text, value_text
from tui.results.score_details import detail_lines, merged
from tui.shell.theme import SIGNS
from tui.widgets.line import Piece
from tui.widgets.marks import Mark, overlaps, whole_occurrences
from tui.widgets.sheet import Block, Lay, lay_blocks, numbered

if TYPE_CHECKING:
    from engine.results.blame import Blamed

LEAST_REASON = 44
"""Cells that a reason needs beside its value; with less it goes below."""


def sheet(
    detail: PredictionDetail,
    history: HistoryMode,
    blamed: Blamed | None = None,
    labelled: Sequence[Settled] = (),
) -> Lay:
    """The lines of an answer; `history` is what the system saw of the earlier turns, `blamed` what
    a wrong answer is to be blamed on, `labelled` what people said of it."""
    blocks = [*earlier(detail, history), *asked(detail), *_searched(detail), *_read(detail)]
    tail = [*_answered(detail), *_evidence_ranks(detail)]
    if blamed is not None:
        tail += _blamed(blamed)

    def lay(width: int) -> list[list[Piece]]:
        column = max(cell_width(block.label) for block in (*blocks, *tail))
        lines = lay_blocks(blocks, width, column)
        lines += [[], *lay_blocks(tail, width, column), []]
        scores = score_lines(detail.scores, width)
        return [*lines, *people_lines(labelled), *scores]

    return lay


def _blamed(blamed: Blamed) -> list[Block]:
    # imported only now: a desk shows no blame
    from engine.results.blame import LABELS, Blame

    if blamed.blame in (Blame.RIGHT, Blame.UNKNOWN):
        return []
    return [Block(tr("blame"), f"{LABELS[language()][blamed.blame]}: {blamed.reason}", "warn")]


def earlier(detail: PredictionDetail, history: HistoryMode) -> list[Block]:
    """Returns the earlier turns, as far as the system saw them."""
    blocks = []
    for number, turn in enumerate(detail.content.turns[: detail.turn]):
        name = tr("turn {number}", number=number + 1)
        blocks.append(Block(name, turn.question, "muted", part=name))
        shown = {
            HistoryMode.GOLD: turn.golden_answers[0] if turn.golden_answers else "",
            HistoryMode.PREDICTED: detail.earlier_answers[number] or "",
        }.get(history, "")
        if shown:
            blocks.append(Block("", shown, "muted", part=name))
    return blocks


def asked(detail: PredictionDetail) -> list[Block]:
    """Returns the question and its golden answers."""
    turn = detail.content.turns[detail.turn]
    question, golden = tr("question"), tr("golden")
    blocks = [Block(question, turn.question, "strong", part=question)]
    many = len(turn.golden_answers) > 1
    for number, form in enumerate(turn.golden_answers, 1):
        label, text = golden if number == 1 else "", numbered(number, form) if many else form
        blocks.append(Block(label, text, part=golden))
    if not turn.golden_answers:
        none = tr("none: retrieval alone is judged")
        blocks.append(Block(golden, none, "muted", part=golden))
    return blocks


def _searched(detail: PredictionDetail) -> list[Block]:
    """Returns what was searched for after each stage before retrieval, where that changed it."""
    blocks: list[Block] = []
    before: tuple[SearchText, ...] = ()
    for name, value in detail.query_stages:
        is_same = value.queries == (before or (detail.content.turns[detail.turn].question,))
        before = value.queries
        after = tr("after {name}:", name=name)
        if is_same:
            after = tr("after {name}: the same", name=name)
        blocks.append(Block("" if blocks else tr("searched"), after, "muted"))
        if value.unusable:
            unusable = tr("a model gave no usable reply, twice: searched as it was")
            blocks.append(Block("", f"{SIGNS.bad} {unusable}", "warn"))
        for query in () if is_same else value.queries:
            blocks.append(Block("", question_of(query)))
            if not isinstance(query, str) and query.hypothetical:
                share = tr("with a text that may answer it, share {n:.2g}:", n=1 - query.alpha)
                blocks.append(Block("", f"{share} {query.hypothetical}"))
            if not isinstance(query, str) and query.nearest:
                chunks = ", ".join(hit.chunk_id for hit in query.nearest)
                averaged = tr("averaged with the nearest chunks: {chunks}", chunks=chunks)
                blocks.append(Block("", averaged))
    return blocks


def _read(detail: PredictionDetail) -> list[Block]:
    """Returns how much there was to read after each stage behind retrieval, and whether it was read
    in halves."""
    said = [
        tr(
            "after {name}: passages {passages:,}, tokens {tokens:,}",
            name=name,
            passages=len(value.passages),
            tokens=sum(count_tokens(one.text) for one in value.passages),
        )
        for name, value in detail.context_stages
    ]
    if detail.answer_calls > 1:
        said.append(tr("in halves: {calls} requests", calls=detail.answer_calls))
    return [Block("" if at else tr("read"), text, "muted") for at, text in enumerate(said)]


def _answered(detail: PredictionDetail) -> list[Block]:
    blocks, part = [], tr("answer")
    if detail.state is PredictionState.PENDING:
        blocks.append(Block(part, tr("not answered yet"), "muted", part=part))
    elif detail.state is PredictionState.FAILED:
        why = f"{detail.error_kind}: {detail.error_text}"
        text = f"{SIGNS.bad} {tr('failed')}  {why}"
        blocks.append(Block(part, text, "bad", part=part))
    else:
        refused = detail.state is PredictionState.REFUSED
        if refused:
            blocks.append(Block(part, tr("the system declined to answer:"), "warn"))
        text = detail.answer or tr("(nothing)")
        label = "" if refused else part
        blocks.append(Block(label, text, marks=agreements(detail, text), part=part))
    if detail.answer_reason:
        blocks.append(Block(tr("why"), detail.answer_reason, "muted"))
    return blocks


def agreements(detail: PredictionDetail, text: str) -> tuple[Mark, ...]:
    """Marks the places where the answer contains a golden answer."""
    golden = detail.content.turns[detail.turn].golden_answers
    spans = {span for form in golden for span in whole_occurrences(text, form)}
    if not spans:
        spans = {span for form in golden for span in overlaps(text, form)}
    return tuple(Mark(start, end, "match") for start, end in sorted(spans))


def _evidence_ranks(detail: PredictionDetail) -> list[Block]:
    """Says at which rank each piece of evidence was retrieved."""
    if not detail.evidence:
        return [Block(tr("evidence"), tr("the item names none"), "muted")]
    if detail.hits is None:
        return [Block(tr("evidence"), tr("nothing was retrieved (closed-book)"), "muted")]
    parts = []
    missed = False
    for number, (unit, rank) in enumerate(
        zip(detail.evidence, evidence_ranks(detail), strict=True), 1
    ):
        if rank:
            parts.append(tr("{number} at rank {rank}", number=number, rank=rank))
        elif unit.document_id in detail.content.hidden:
            parts.append(tr("{number} hidden from the system", number=number))
        else:
            hits = len(detail.hits)
            parts.append(tr("{number} not in the first {hits}", number=number, hits=hits))
            missed = True
    sign = SIGNS.bad if missed else SIGNS.good
    return [Block(tr("evidence"), f"{sign} {', '.join(parts)}", "bad" if missed else "good")]


def people_lines(labelled: Sequence[Settled]) -> list[list[Piece]]:
    """Returns what people labelled the answer, without their names, as its judges' scores stand."""
    if not labelled:
        return []
    values = [_given(one) for one in labelled]
    names, column = max(cell_width(one.field) for one in labelled), max(map(cell_width, values))
    lines: list[list[Piece]] = [[(tr("people"), "header")]]
    for one, text in zip(labelled, values, strict=True):
        role = "warn" if one.source == "conflict" else "strong"
        how = tr(one.source)
        if len(one.raters) > 1:
            how = tr("{how}, {raters} raters", how=how, raters=len(one.raters))
        lines.append(
            [(pad(one.field, names) + "  ", ""), (pad(text, column), role), (f"  {how}", "muted")]
        )
    return [*lines, []]


def _given(one: Settled) -> str:
    """The value that holds, or those that raters differ on: `1/2 or 2/2`."""
    from engine.judge.registry import metric_spec

    spec = metric_spec(one.field)
    given = [one.value] if one.value is not None else [said.value for said in one.raters]
    texts = [tr("n/a") if value == NA else value_text(spec, float(str(value))) for value in given]
    return tr(" or ").join(dict.fromkeys(texts))


def score_lines(scores: Sequence[JudgedScore], width: int) -> list[list[Piece]]:
    """Returns judges' scores with reasons first, then the rule metrics in columns by variant."""
    judged = sorted((one for one in scores if one.judge), key=_judge_place)
    rest = [one for one in scores if not one.judge]
    lines: list[list[Piece]] = []
    for judge, group in groupby(judged, key=lambda one: one.judge):
        heading = tr("judge {name}", name=judge)
        lines += [[(heading, "header")], *_reasons(list(group), width), []]
    for name, group in groupby(sorted(rest, key=_place), key=_group):
        lines += [[(name, "header")], *_grid(list(group), width), []]
    return lines[:-1]


def _place(one: JudgedScore) -> tuple[object, ...]:
    """Text, ranking, then the other variants; within a group as the catalogue has them."""
    score = one.score
    base, cut = cutoff(score.metric)
    spec = resolve(score.metric, score.variant)
    names = [known.name.removesuffix("@k") for known in SPECS if known.variant == score.variant]
    return (
        VARIANTS.index(spec.variant),
        score.variant == "standard" and spec.family == "ranking",
        names.index(base if cut else score.metric),
        cut or 0,
    )


def _group(one: JudgedScore) -> str:
    score = one.score
    if score.variant != "standard":
        return tr("as {variant} computes them", variant=score.variant)
    return tr(resolve(score.metric, score.variant).family)


def _judge_place(one: JudgedScore) -> tuple[str, int]:
    from engine.judge.registry import judged_names

    names = judged_names()
    return one.judge, names.index(one.score.metric) if one.score.metric in names else len(names)


def _reasons(scores: Sequence[JudgedScore], width: int) -> list[list[Piece]]:
    names = max(cell_width(one.score.metric) for one in scores)
    column = names + 2 + 6 + 2
    is_beside = width - column >= LEAST_REASON
    indent = column if is_beside else 2
    lines: list[list[Piece]] = []
    told = merged([one.details for one in scores if one.details])
    for one in scores:
        text, role = _value(one)
        start: list[Piece] = [
            (pad(one.score.metric, names) + "  ", ""),
            (pad(text, 6) + "  ", role),
        ]
        if not is_beside:
            lines.append(start)
            start = [(" " * indent, "")]
        reason = read_reason(one.score.reason)
        none = [(0, 0)] if is_beside else []
        for begin, end in wrap(reason, max(width - indent, 10)) if reason else none:
            lines.append([*start, (reason[begin:end], "muted")])
            start = [(" " * indent, "")]
        if told is None:
            lines += detail_lines(one.details or {}, width, indent)
    if told:
        lines += [[], *detail_lines(told, width, 2)]
    return lines


def _grid(scores: Sequence[JudgedScore], width: int) -> list[list[Piece]]:
    names = max(cell_width(one.score.metric) for one in scores)
    values = max(cell_width(_value(one)[0]) for one in scores)
    step = names + values + 4
    columns = max(min(width // step, 4), 1)
    lines: list[list[Piece]] = []
    for first in range(0, len(scores), columns):
        pieces: list[Piece] = []
        for one in scores[first : first + columns]:
            text, role = _value(one)
            pieces += [(pad(one.score.metric, names + 1), "muted"), (pad(text, values + 3), role)]
        lines.append(pieces)
    return [*lines, *_excuses(scores, width)]


def _excuses(scores: Sequence[JudgedScore], width: int) -> list[list[Piece]]:
    """Returns each reason for missing values once, with the states that it explains."""
    reasons: dict[str, str] = {}
    for one in scores:
        if one.score.reason and one.score.state is not ScoreState.OK:
            reasons.setdefault(read_reason(one.score.reason), _value(one)[0])
    texts = [f"{state}: {reason}" for reason, state in reasons.items()]
    return [
        [(text[begin:end], "muted")] for text in texts for begin, end in wrap(text, max(width, 10))
    ]


def _value(one: JudgedScore) -> tuple[str, str]:
    """Returns the value or state and its role; the best and worst values stand out."""
    from engine.judge.registry import metric_spec

    score = one.score
    spec = metric_spec(score.metric, score.variant)
    text = score_text(spec, score.value, score.state)
    if score.value is None:
        return text, "muted" if score.state is ScoreState.NA else "warn"
    if better(spec) == "-" or spec.maximum is None:
        return text, ""
    best = spec.maximum if spec.higher_is_better else spec.minimum
    worst = spec.minimum if spec.higher_is_better else spec.maximum
    if score.value == best:
        return text, "good"
    return text, "bad" if score.value == worst and one.judge else ""
