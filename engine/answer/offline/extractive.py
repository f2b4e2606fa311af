"""The offline generator `extractive`: answers with what the passages say, by visible rules.

1. Sentences are ranked by the question's content words (`ranking`).
2. A question that names a computation gets its result, if the operands are found (`computing`).
3. A question for a figure gets a table cell whose row and column it names (`cells`), else the
   number of the wanted kind in the best sentences.
4. A comparison gets one sentence from each of two documents; how, why and which-ones get the two
   or three best sentences in document order; other questions the words in the place of the
   question word, else the best sentence.
5. Nothing in common with the passages: a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from engine.answer.offline.cells import FittingRow, asked_cells, fitting_rows
from engine.answer.offline.computing import compute
from engine.answer.offline.cues import Operation
from engine.answer.offline.narrowing import pick_number, pick_words, with_measure
from engine.answer.offline.question import Form, Question, read_question
from engine.answer.offline.ranking import RankedSentence, rank_sentences
from engine.answer.offline.replies import Answer, say
from engine.answer.offline.tables import Cell
from engine.text.numbers import Kind, Number
from engine.text.refusals import negates
from store.records import Passage, PredictionState, Span

_SENTENCES_FOR_FIGURE = 10
_RANK_FACTOR = 0.7
"""What each rank of a figure below the best fitting kind and measure costs."""

_LONG_SENTENCES = 3
_LONG_SHARE = 0.45
"""A further sentence of a long answer scores at least this share of the best."""

_FIGURE_SHARE = 0.45
"""A sentence with a figure may score this much less than the best one without."""

_SHARE_SIGNS = ("%", "率", "比", "percent", "ratio", "rate", "share", "margin")

_SURE_FIT = 0.6
"""How well a table row fits a question that does not say it wants a figure."""

_WORDS_SHARE = 0.75
_WHETHER = re.compile("是不是|能不能|可不可以|会不会")


def extract_answer(
    question: str, history: Sequence[tuple[str, str]], passages: Sequence[Passage]
) -> Answer:
    """The answer the passages give to `question`; refused when they share no content word with it.

    `history` holds the earlier (question, answer) pairs of the conversation, oldest first.
    `passages` are in the retriever's order. Deterministic.
    """
    asked = read_question(question, history)
    ranked, worth = rank_sentences(asked.weights, passages)
    if not ranked:
        return Answer(
            say("refusal", asked.lang),
            reason=say("no_overlap", asked.lang),
            state=PredictionState.REFUSED,
        )
    if asked.form is Form.FIGURE:
        figure = _figure(asked, ranked, worth, passages)
        if figure is not None:
            return figure
    elif _names_a_value(asked):
        rows = fitting_rows(asked, passages, worth)
        cell = _cell(asked, [row for row in rows if row.fit >= _SURE_FIT], passages)
        if cell is not None:
            return cell
    return _wording(asked, _prose_first(ranked, passages), passages)


def _wording(
    asked: Question, ranked: Sequence[RankedSentence], passages: Sequence[Passage]
) -> Answer:
    """An answer in the passages' words: of two documents, of several sentences, or of a part."""
    if asked.form is Form.COMPARISON:
        compared = _one_of_each_document(ranked, passages)
        if len(compared) > 1:
            return _joined(asked, "compared", compared, passages)
    if asked.form in (Form.LONG, Form.COMPARISON):
        return _joined(asked, "several", _best_few(ranked), passages)
    if asked.form is Form.NAME:
        named = _named(asked, ranked, passages)
        if named is not None:
            return named
    return _sentence(asked, ranked[0], passages)


def _names_a_value(asked: Question) -> bool:
    """Returns whether a question without a cue for figures may still mean a cell: it names years,
    or asks what something was."""
    is_plain = asked.form is Form.NAME and asked.text.lower().startswith(("what ", "which "))
    return (bool(asked.years) and asked.form in (Form.NAME, Form.LONG)) or is_plain


def _prose_first(
    ranked: Sequence[RankedSentence], passages: Sequence[Passage]
) -> Sequence[RankedSentence]:
    """Without table rows, which answer nothing when quoted whole; else all."""
    prose = [sentence for sentence in ranked if not _text(sentence, passages).startswith("|")]
    return prose or ranked


def _figure(
    asked: Question,
    ranked: Sequence[RankedSentence],
    worth: Mapping[str, float],
    passages: Sequence[Passage],
) -> Answer | None:
    rows = fitting_rows(asked, passages, worth)
    computed = compute(asked, rows, ranked, passages)
    stated = _number(asked, ranked, passages)
    if stated is not None and asked.operation in (Operation.DIFFERENCE, Operation.GROWTH):
        is_direct = ranked[0].score > 0 and _states_change(asked, ranked, passages)
        if is_direct and (computed is None or not rows):
            return stated
    if computed is not None:
        spans = tuple(
            _span(passages[operand.passage], operand.start, operand.end)
            for operand in computed.operands
        )
        reason = say("computed", asked.lang, formula=computed.formula, result=computed.text)
        return Answer(computed.text, spans, reason)
    return _cell(asked, rows, passages) or stated


def _states_change(
    asked: Question, ranked: Sequence[RankedSentence], passages: Sequence[Passage]
) -> bool:
    """Returns whether the best sentence says a change outright, so that nothing needs computing."""
    text = _text(ranked[0], passages)
    picked = pick_number(asked, text)
    return picked is not None and picked[0].direction != 0


def _cell(
    asked: Question, rows: Sequence[FittingRow], passages: Sequence[Passage]
) -> Answer | None:
    for fitting in rows[:3]:
        cells = asked_cells(asked, fitting.row)
        if cells and all(_fits_kind(asked, fitting, cell) for cell in cells):
            passage = passages[fitting.passage]
            separator = "、" if asked.lang == "zh" else ", "
            reason = say(
                "cell",
                asked.lang,
                label=fitting.row.label,
                header=separator.join(cell.header for cell in cells),
                rank=fitting.passage + 1,
            )
            spans = tuple(_span(passage, cell.start, cell.end) for cell in cells)
            return Answer(separator.join(cell.text for cell in cells), spans, reason)
    return None


def _fits_kind(asked: Question, fitting: FittingRow, cell: Cell) -> bool:
    """Returns whether a cell may hold a share where one is asked for; other kinds are not told
    apart."""
    if asked.kinds[:1] != (Kind.PERCENT,) or cell.number is None:
        return True
    named = f"{fitting.row.label} {cell.header}".lower()
    return cell.number.kind is Kind.PERCENT or any(sign in named for sign in _SHARE_SIGNS)


def _number(
    asked: Question, ranked: Sequence[RankedSentence], passages: Sequence[Passage]
) -> Answer | None:
    """The figure with the best product of its sentence's score and its own fit."""
    best: tuple[float, RankedSentence, Number] | None = None
    for sentence in ranked[:_SENTENCES_FOR_FIGURE]:
        if sentence.score < _FIGURE_SHARE * ranked[0].score:
            break
        picked = pick_number(asked, _text(sentence, passages))
        if picked is None:
            continue
        number, rank = picked
        score = sentence.score * _RANK_FACTOR**rank
        if best is None or score > best[0]:
            best = (score, sentence, number)
    if best is None:
        return None
    _, sentence, number = best
    stretch = with_measure(_text(sentence, passages), number)
    return _part(asked, sentence, stretch, passages, "number", kind=number.kind.value)


def _named(
    asked: Question, ranked: Sequence[RankedSentence], passages: Sequence[Passage]
) -> Answer | None:
    for sentence in ranked[:2]:
        if sentence.score < _WORDS_SHARE * ranked[0].score:
            break
        text = _text(sentence, passages)
        stretch = pick_words(asked, text)
        if stretch is not None:
            return _part(asked, sentence, stretch, passages, "words")
    return None


def _part(
    asked: Question,
    sentence: RankedSentence,
    stretch: tuple[int, int],
    passages: Sequence[Passage],
    why: str,
    **slots: object,
) -> Answer:
    passage = passages[sentence.passage]
    start, end = sentence.start + stretch[0], sentence.start + stretch[1]
    while end > start and passage.text[end - 1].isspace():
        end -= 1
    reason = say(
        why, asked.lang, rank=sentence.passage + 1, words=_words(sentence.matched), **slots
    )
    return Answer(passage.text[start:end], (_span(passage, start, end),), reason)


def _sentence(asked: Question, sentence: RankedSentence, passages: Sequence[Passage]) -> Answer:
    passage = passages[sentence.passage]
    text = _text(sentence, passages)
    if asked.form is Form.YES_NO:
        text = _polarity(asked, text) + text
    reason = say("sentence", asked.lang, rank=sentence.passage + 1, words=_words(sentence.matched))
    return Answer(text, (_span(passage, sentence.start, sentence.end),), reason)


def _polarity(asked: Question, sentence: str) -> str:
    """Yes or no in front of the sentence, no where one of question and sentence denies."""
    is_denied = negates(sentence) != negates(_WHETHER.sub("", asked.text))
    if asked.lang == "zh":
        return "否，" if is_denied else "是，"
    return "No. " if is_denied else "Yes. "


def _best_few(ranked: Sequence[RankedSentence]) -> list[RankedSentence]:
    return [
        sentence
        for sentence in ranked[:_LONG_SENTENCES]
        if sentence.score >= _LONG_SHARE * ranked[0].score
    ]


def _one_of_each_document(
    ranked: Sequence[RankedSentence], passages: Sequence[Passage]
) -> list[RankedSentence]:
    """The best sentence of each of the two best documents."""
    chosen: dict[str, RankedSentence] = {}
    for sentence in ranked:
        chosen.setdefault(passages[sentence.passage].document_id, sentence)
        if len(chosen) == 2:
            break
    return list(chosen.values())


def _joined(
    asked: Question,
    why: str,
    chosen: Sequence[RankedSentence],
    passages: Sequence[Passage],
) -> Answer:
    in_order = sorted(chosen, key=lambda sentence: (sentence.passage, sentence.start))
    words = sorted({word for sentence in in_order for word in sentence.matched})
    spans = tuple(
        _span(passages[sentence.passage], sentence.start, sentence.end) for sentence in in_order
    )
    separator = "" if asked.lang == "zh" else " "
    text = separator.join(_text(sentence, passages) for sentence in in_order)
    return Answer(text, spans, say(why, asked.lang, count=len(in_order), words=_words(words)))


def _text(sentence: RankedSentence, passages: Sequence[Passage]) -> str:
    return passages[sentence.passage].text[sentence.start : sentence.end]


def _span(passage: Passage, start: int, end: int) -> Span:
    return Span(passage.document_id, passage.start + start, passage.start + end)


def _words(words: Sequence[str]) -> str:
    return ", ".join(words)
