"""The reasons why a cell stays below its target, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from engine.generate.filling.quota import Lack
from store.datasets.generation_figures import CellProgress

_LACKS = {
    Lack.NO_WRITER: "no rule writes items of this task; a model can",
    Lack.NO_DOCUMENTS: "no document has this topic",
    Lack.TOO_FEW_PARTNERS: "none of the topic's documents has another beside it on the same matter,"
    " which the task needs",
}
_ITEMS_A_TURN = 3
"""Items that a document gives a cell in its first turn at most: with fewer documents than it takes
so, the number of documents is the reason."""
_STATES = {
    "empty": "gave nothing",
    "refused": "refused",
    "unparsed": "unreadable",
    "failed": "failed",
}
_OUTCOMES = {
    "duplicate": "like another question",
    "check_failed": "below the checks",
    "evidence_not_verbatim": "with evidence that no document says",
    "no_evidence": "without evidence",
    "not_self_contained": "leaning on something before them",
    "names_document": "speaking of a document at hand",
    "too_few_turns": "with too few turns",
    "too_many_turns": "with more than one turn",
    "too_few_documents": "from too few documents",
    "too_many_documents": "from too many documents",
    "document_unused": "that leave out a document",
    "answered": "with an answer where there is to be none",
    "evidence_without_answer": "with evidence where there is no answer",
    "holds_answer": "whose question holds the answer",
    "no_beginning": "without a beginning to continue",
    "no_faulty_text": "without a text to correct",
    "affirmed_yes_no": "answered with a plain yes",
    "no_question": "without a question",
    "no_answer": "without an answer",
    "empty_answer": "whose answer says nothing",
    "nothing_related": "that no other report tells of",
    "not_an_object": "not in the form asked for",
}
"""Others go by their code, as `engine.generate.items` names problems."""


class Shortfall(Struct, frozen=True):
    """Cells of a topic that stay below their targets for one reason."""

    topic: str
    tasks: tuple[str, ...]
    """Empty for all that the generation asked for."""
    reason: str

    @property
    def place(self) -> str:
        return f"{self.topic} x {', '.join(self.tasks) or 'every task'}"


def shortfalls(cells: Sequence[CellProgress]) -> list[Shortfall]:
    """The cells that stay below their targets, with the reason; those of one reason together."""
    tasks = len({cell.task for cell in cells})
    reasons: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        if cell.lack is not None:
            why = shortfall_text(cell)
            reasons.setdefault((cell.topic, why), []).append(cell.task)
    return [
        Shortfall(topic, () if len(short) == tasks > 1 else tuple(short), why)
        for (topic, why), short in reasons.items()
    ]


def shortfall_text(cell: CellProgress) -> str:
    """The reason why a cell lacks items, with the figures that explain it."""
    lack = Lack(cell.lack or Lack.EXHAUSTED)
    if lack is not Lack.EXHAUSTED:
        return _LACKS[lack]
    counts = [*state_words(cell.states), *lost_words(cell.outcomes)]
    tries = f"{cell.attempts} {'attempt' if cell.attempts == 1 else 'attempts'}"
    return f"{_tried(cell)} ({tries}{': ' if counts else ''}{', '.join(counts)})"


def _tried(cell: CellProgress) -> str:
    """The sentence on how many documents there were, and how many of them gave items."""
    gave = f"{cell.fruitful or 'none'} gave items"
    if cell.documents == 1:
        items = "items" if cell.fruitful else "no items"
        return f"only 1 document of this topic can be used, and it gave {items}"
    if cell.documents * _ITEMS_A_TURN < cell.target:
        return f"only {cell.documents} documents of this topic can be used, all were tried, {gave}"
    return f"all {cell.documents} documents were tried, {gave}"


def state_words(states: Mapping[str, int]) -> list[str]:
    """The attempts that gave no item to look at: `3 gave nothing`, `1 refused`."""
    return [f"{states[name]} {word}" for name, word in _STATES.items() if states.get(name)]


def lost_words(outcomes: Mapping[str, int]) -> list[str]:
    """The items of replies that were not kept, most frequent first: `2 items without evidence`."""
    lost = {name: count for name, count in outcomes.items() if name not in ("kept", "surplus")}
    return [
        f"{count} {'item' if count == 1 else 'items'} {outcome_word(name)}"
        for name, count in sorted(lost.items(), key=lambda entry: (-entry[1], entry[0]))
    ]


def outcome_word(name: str) -> str:
    """The reason for which an item was not kept: `like another question`."""
    return _OUTCOMES.get(name, name.replace("_", " "))
