"""An answer as lines for its rater: what was asked, the golden answers, and what it says, with the
signs that a reading of it gives."""

from __future__ import annotations

from collections.abc import Sequence

from engine.labelling.reading.answer_records import AnswerReading
from engine.text.sentences import sentences
from engine.text.tables.finding import tables
from engine.text.wrapping import cell_width, pad
from store.records import HistoryMode, PredictionState
from store.runs.details import PredictionDetail
from tui.language import tr
from tui.results.item_sheet import agreements, asked, earlier, score_lines
from tui.shell.theme import SIGNS
from tui.widgets.line import Piece
from tui.widgets.marks import Mark
from tui.widgets.sheet import Block, Lay, lay_blocks


def marks_legend() -> str:
    """What is marked before the rater has labelled the answer: where something stands."""
    return tr("underlined = also in the golden answer")


def comparison_legend() -> str:
    """What the signs of the comparison with the golden answer are."""
    return tr("{sign} in the texts  ? not  underlined = gold  reversed = against", sign=SIGNS.good)


def asked_blocks(detail: PredictionDetail, history: HistoryMode) -> list[Block]:
    """The earlier turns, the question and its golden answers."""
    question, golden = _question(detail)
    return [*earlier(detail, history), question, *golden]


def _question(detail: PredictionDetail) -> tuple[Block, list[Block]]:
    """The question, and its golden answers."""
    question, *golden = asked(detail)
    forms = detail.content.turns[detail.turn].golden_answers
    if len(forms) > 1:
        # forms of one answer: read as one, they leave room for what is labelled
        golden = [Block(golden[0].label, "  /  ".join(forms), part=golden[0].part)]
    return question, golden


def answer_blocks(
    detail: PredictionDetail, reading: AnswerReading | None, column: int
) -> list[Block]:
    """The answer, a sentence or a table a block: with the sign of what bears it out behind the
    label.

    `column` is the width of the labels without that sign. The places of all texts are the same
    before and after the reading is there.
    """
    label = tr("answer")
    if detail.state is PredictionState.FAILED:
        return [Block(pad(label, column + 2), tr("the system failed"), "bad", part=label)]
    blocks: list[Block] = []
    if detail.state is PredictionState.REFUSED:
        blocks.append(Block(pad(label, column + 2), tr("the system declined to answer:"), "warn"))
    text = detail.answer or ""
    marks = _marks(detail, text, reading)
    signs = {one.start: one.is_borne_out for one in reading.sentences} if reading else {}
    for start, end in _stretches(text):
        borne_out = {signs[at] for at in signs if start <= at < end} - {None}
        sign = "?" if False in borne_out else SIGNS.good if borne_out else " "
        name = "" if blocks else label
        inside = tuple(
            Mark(max(one.start - start, 0), min(one.end, end) - start, one.kind)
            for one in marks
            if one.start < end and one.end > start
        )
        blocks.append(
            Block(f"{pad(name, column)} {sign}", text[start:end], marks=inside, part=label)
        )
    return blocks or [Block(pad(label, column + 2), tr("(nothing)"), "muted", part=label)]


def _stretches(text: str) -> list[tuple[int, int]]:
    """The sentences and the tables of a text in their order, as offsets."""
    stretches: list[tuple[int, int]] = []
    begin = 0
    for table in (*tables(text), None):
        end = table.start if table else len(text)
        stretches += [(begin + first, begin + last) for first, last in sentences(text[begin:end])]
        if table:
            stretches.append((table.start, table.end))
            begin = table.end
    return stretches


def signs_blocks(detail: PredictionDetail, reading: AnswerReading | None) -> list[Block]:
    """The numbers that can be compared; nothing before the reading."""
    if reading is None:
        return []
    same = [f"{SIGNS.good} {one.stated}" for one in reading.numbers if one.is_same]
    other = [one for one in reading.numbers if not one.is_same]
    differs = [
        f"{SIGNS.bad} {tr('{stated} (gold {golden})', stated=one.stated, golden=one.golden)}"
        for one in other
    ]
    told = {one.golden for one in other}
    missing = [
        f"{SIGNS.bad} {tr('not given {number}', number=one)}"
        for one in reading.missing
        if one not in told
    ]
    blocks = []
    if same or differs or missing:
        blocks.append(Block(tr("numbers"), "   ".join((*same, *differs, *missing))))
    return blocks


def label_column(*blocks: Sequence[Block]) -> int:
    """How wide the labels of some blocks are, the answer's own among them."""
    labels = [block.label for group in blocks for block in group]
    return max(cell_width(text) for text in (*labels, tr("answer")))


def answer_lines(
    detail: PredictionDetail,
    history: HistoryMode,
    reading: AnswerReading | None,
    revealed: Sequence[Block] | None,
) -> Lay:
    """All lines of one answer. `revealed` is what was hidden; None while it is.

    The answer stands right below the question: however long the golden answers are, what is
    labelled is in view.
    """
    (question, golden), tail = _question(detail), signs_blocks(detail, reading)
    head = [*earlier(detail, history), question]
    column = label_column(head, golden, tail)
    body = [*answer_blocks(detail, reading, column), *golden]

    def lay(width: int) -> list[list[Piece]]:
        # labels in the text's own colour: each change of colour is bytes in every case
        blocks = [
            block._replace(label_role="", role="" if block.role == "strong" else block.role)
            for block in (*head, *body, *tail)
        ]
        lines = lay_blocks(blocks, width, column + 2)
        if revealed is not None:
            lines += [[], *lay_blocks(revealed, width)]
            judged = [one for one in detail.scores if one.judge]
            lines += [[], *score_lines(judged, width)]
        return lines

    return lay


def _marks(detail: PredictionDetail, text: str, reading: AnswerReading | None) -> list[Mark]:
    marks = list(agreements(detail, text))
    for one in reading.numbers if reading is not None else ():
        marks.append(Mark(one.start, one.end, "match" if one.is_same else "differs"))
    return sorted(marks)
