"""The lines of an item that is labelled: turns, golden answers, evidence, cell and requirement."""

from __future__ import annotations

from collections.abc import Sequence

from engine.corpus.naming import heading
from engine.prompts.languages import by_lang
from engine.text.wrapping import cell_width
from store.datasets.inspections import Inspection
from store.datasets.revisions import RevisionSheet
from store.labels.forms import Hidden
from store.records import Evidence, ItemContent
from tui.language import language, tr
from tui.language.reasons import read_reason
from tui.screens.labels import own_name, task_and_topic
from tui.widgets.line import Piece
from tui.widgets.sheet import Block, Lay, lay_blocks, numbered


def evidence_of(content: ItemContent) -> tuple[Evidence, ...]:
    """The evidence of all turns, in their order; what several turns name comes once."""
    return tuple(dict.fromkeys(one for turn in content.turns for one in turn.evidence))


def cell_text(sheet: RevisionSheet) -> str:
    """`抽取类问答 x 商业银行`, in the language of the interface."""
    content = sheet.content
    return task_and_topic(
        own_name(sheet.task, content.task),
        own_name(sheet.topic, content.topic),
    )


def automatic_texts(sheet: RevisionSheet, inspections: Sequence[Inspection]) -> list[str]:
    """What automatic inspection said of this text, and who wrote it."""
    texts = []
    for one in inspections:
        if one.revision == sheet.id:
            value = (
                one.state if one.evaluation is None else tr("{score} of 2", score=one.evaluation)
            )
            texts.append(f"{value}, {one.inspector}: {read_reason(one.reason)}")
        elif one.correction == sheet.id:
            texts.append(
                tr(
                    "{who} corrected this: {reason}",
                    who=one.inspector,
                    reason=read_reason(one.reason),
                )
            )
    return [
        *(texts or [tr("not inspected")]),
        tr("written by {author} ({reason})", author=sheet.author, reason=sheet.reason),
    ]


def revision_lines(
    sheet: RevisionSheet,
    inspections: Sequence[Inspection],
    hidden: frozenset[Hidden],
    above: Sequence[Block] = (),
    below: Sequence[Block] = (),
) -> Lay:
    """The lines; `hidden` keeps author and inspections out of them. What is said beside the text
    stands above and below it."""
    blocks = [*above, *_turns(sheet), *below]
    tail = _cell(sheet)
    if not {"author", "automatic_verdict"} & hidden:
        for at, text in enumerate(automatic_texts(sheet, inspections)):
            tail.append(Block("" if at else tr("automatic"), text, "muted"))

    def lay(width: int) -> list[list[Piece]]:
        column = max(cell_width(block.label) for block in (*blocks, *tail))
        return [*lay_blocks(blocks, width, column), [], *lay_blocks(tail, width, column)]

    return lay


def _turns(sheet: RevisionSheet) -> list[Block]:
    """All turns with their golden answers, which are to be read; then the evidence."""
    blocks: list[Block] = []
    answer, many = tr("answer"), len(sheet.content.turns) > 1
    for number, turn in enumerate(sheet.content.turns, 1):
        part = tr("turn {number}", number=number) if many else tr("question")
        blocks.append(Block(part, turn.question, "strong", part=part))
        part = part if many else answer
        is_many = len(turn.golden_answers) > 1
        for at, form in enumerate(turn.golden_answers, 1):
            text = numbered(at, form) if is_many else form
            blocks.append(Block(answer if at == 1 else "", text, part=part))
        if not turn.golden_answers:
            blocks.append(Block(answer, tr("none"), "muted", part=part))
        for at, point in enumerate(turn.keypoints, 1):
            label = tr("keypoint") if at == 1 else ""
            blocks.append(Block(label, f"{at} {point}", part=part))
    return [*blocks, *_evidence(sheet)]


def _evidence(sheet: RevisionSheet) -> list[Block]:
    """Each piece of evidence once, with the turns that name it where not all of them do."""
    turns = sheet.content.turns
    blocks: list[Block] = []
    for number, one in enumerate(evidence_of(sheet.content), 1):
        naming = [at for at, turn in enumerate(turns, 1) if one in turn.evidence]
        named = ", ".join(tr("turn {number}", number=at) for at in naming)
        of_turns = "" if len(naming) == len(turns) else f"({named}) "
        text, role = _quoted(sheet, one)
        blocks.append(
            Block("" if blocks else tr("evidence"), numbered(number, of_turns + text), role)
        )
    return blocks or [Block(tr("evidence"), tr("none"), "muted")]


def _quoted(sheet: RevisionSheet, one: Evidence) -> tuple[str, str]:
    """What a piece of evidence says, and the role to show it in."""
    document = sheet.documents.get(one.document_id)
    if document is None:
        return f"{tr('its document is gone:')} {one.quote or ''}", "warn"
    if one.start is None or one.end is None:
        return tr("the whole of {title}", title=heading(document)), "muted"
    quoted = document.text[one.start : one.end]
    if one.quote is not None and quoted != one.quote:
        return f"{tr('not found there verbatim:')} {one.quote}", "warn"
    return quoted, "muted"


def _cell(sheet: RevisionSheet) -> list[Block]:
    blocks = [Block(tr("cell"), cell_text(sheet), "muted")]
    if sheet.task is not None:
        task = sheet.task
        text = by_lang(language(), task.requirement_zh, task.requirement_en)
        if text:
            blocks.append(Block(tr("must"), text, "muted"))
    return blocks
