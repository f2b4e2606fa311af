"""What a wrong answer is to be blamed on: the first stage that went wrong (OmniEval, figure 7).

The order is that of the stages, after the judge itself: whoever has no evidence cannot read it, and
whoever does not read it cannot calculate with it. Everything is decided from what a run has stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from engine.text.content_words import content_terms, word_share
from engine.text.numbers import Number, find_same, numbers
from store.records import Lang

AXIS = "blame"
"""The axis of matrices by what is to blame."""
_MOST_WORDS = 0.75
"""The share of a golden answer's content words that a text has to hold to state it."""


class Blame(StrEnum):
    """In the order in which they are decided."""

    RIGHT = "right"
    """Nothing is to blame: the answer has full marks."""
    JUDGE = "judge"
    RETRIEVAL = "retrieval"
    CONTEXT = "context"
    CALCULATION = "calculation"
    READING = "reading"
    UNKNOWN = "unknown"
    """There is no answer, or nothing says whether it is right."""


LABELS: dict[Lang, dict[Blame, str]] = {
    "en": {one: one.value for one in Blame},
    "zh": {
        Blame.RIGHT: "正确",
        Blame.JUDGE: "评判",
        Blame.RETRIEVAL: "检索",
        Blame.CONTEXT: "上下文",
        Blame.CALCULATION: "计算",
        Blame.READING: "阅读",
        Blame.UNKNOWN: "未知",
    },
}
_REASONS: dict[str, tuple[str, str]] = {
    "right": ("回答得满分。", "The answer has full marks."),
    "unknown": ("没有可评的回答。", "There is no answer with a value."),
    "judge": ("{}给了满分。", "Full marks by {}."),
    "nothing": ("系统没有检索。", "The system retrieved nothing."),
    "missed": ("{}条证据中有{}条没有检索到。", "Of {} pieces of evidence, {} were not retrieved."),
    "unread": (
        "证据已检索到，但模型读到的文本中没有标准答案所需的内容：{}。",
        "The evidence was retrieved, but what was read lacks what the golden answer needs: {}.",
    ),
    "computed": (
        "标准答案中的{}不见于证据，须由计算得出。",
        "{} of the golden answer stands nowhere in the evidence: it has to be calculated.",
    ),
    "read": (
        "读到的文本含有所需内容，回答却没有说出。",
        "What was read holds what was needed, and the answer does not say it.",
    ),
}


class Stages(Struct, frozen=True):
    """What the stages of a system made of one question, and what was said of the answer."""

    lang: Lang
    golden_answers: tuple[str, ...]
    full_marks: bool | None
    """Whether accuracy, as the rules judge it, is at its highest; null without a value."""
    full_marks_by: tuple[str, ...] = ()
    """Who else gives the answer full marks."""
    retrieves: bool = True
    evidence: tuple[str, ...] = ()
    """Texts of the item's evidence."""
    missed: int = 0
    """Pieces of evidence that are not among what was retrieved."""
    read: str = ""
    """What the generator was shown, all of it."""


class Blamed(Struct, frozen=True):
    blame: Blame
    reason: str
    """In the language of the item."""


def blame(stages: Stages) -> Blamed:
    """What is to blame, decided in this order:

    1. nothing without a value or with full marks;
    2. the judge, where people, exact match or another judge give full marks;
    3. retrieval, where the system has none, or any evidence is not among what was retrieved;
    4. context, where what the generator read does not state what the evidence states of the golden
       answer;
    5. calculation, where a number of the golden answer stands nowhere in the evidence;
    6. reading.
    """
    if stages.full_marks is None:
        return _blamed(stages, Blame.UNKNOWN, "unknown")
    if stages.full_marks:
        return _blamed(stages, Blame.RIGHT, "right")
    if stages.full_marks_by:
        return _blamed(stages, Blame.JUDGE, "judge", ", ".join(stages.full_marks_by))
    if not stages.retrieves:
        return _blamed(stages, Blame.RETRIEVAL, "nothing")
    if stages.missed:
        return _blamed(stages, Blame.RETRIEVAL, "missed", len(stages.evidence), stages.missed)
    source = "\n".join(stages.evidence) or stages.read
    stated = numbers(source)
    golden, made = _stated_best(stages.golden_answers, stated)
    # mostly so, and finding the numbers of all that was read takes long
    is_whole = all(text in stages.read for text in stages.evidence)
    if not is_whole and (lost := _lost(golden, source, stated, stages.read)):
        return _blamed(stages, Blame.CONTEXT, "unread", lost)
    if made:
        return _blamed(stages, Blame.CALCULATION, "computed", ", ".join(made))
    return _blamed(stages, Blame.READING, "read")


def _blamed(stages: Stages, kind: Blame, reason: str, *values: object) -> Blamed:
    chinese, english = _REASONS[reason]
    return Blamed(kind, (chinese if stages.lang == "zh" else english).format(*values))


def _stated_best(golden: Sequence[str], stated: Sequence[Number]) -> tuple[str, list[str]]:
    """The form of a golden answer of which the evidence states most, since a scale may stand beside
    the figure or over the table; and the numbers of it that are not among those `stated`."""
    forms = [(form, _written(form, stated, is_stated=False)) for form in golden]
    return min(forms, key=lambda form: (len(form[1]), -len(form[0])), default=("", []))


def _lost(golden: str, source: str, stated: Sequence[Number], read: str) -> str:
    """What the evidence states of the golden answer, and the text that was read does not."""
    if _figures(golden):
        held = _written(golden, stated, is_stated=True)
        missing = _written(golden, numbers(read), is_stated=False) if held else []
        return ", ".join(one for one in held if one in missing)
    words = content_terms(golden)
    is_held = word_share(words, source) >= _MOST_WORDS > word_share(words, read)
    return golden if words and is_held else ""


def _written(golden: str, stated: Sequence[Number], *, is_stated: bool) -> list[str]:
    """The numbers of a golden answer that are, or are not, among those `stated`, as written."""
    return [
        golden[one.start : one.end]
        for one in _figures(golden)
        if (find_same(one, stated, bare_takes_unit=True) is not None) is is_stated
    ]


def _figures(text: str) -> list[Number]:
    return [one for one in numbers(text) if one.date is None and not one.is_year]
