"""A team that authors items in the app, at terminals, by keys alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from label_sessions import at_label
from terminal import Terminal

from store.labels.log import reading
from store.labels.log.events import Subject
from store.workspace import open_workspace

EDITOR, MARKING, REVIEW = "Esc review", "Space mark", "propose"


class Draft(NamedTuple):
    """What a writer types of an item."""

    question: str
    task: str
    """The beginning of its name, which narrows the list of tasks."""
    spans: Sequence[str] = ()
    """A text to be found in each document that is given, in their order; the sentence with it is
    marked."""


@contextmanager
def at_step(
    folder: Path, rater: str, sample: str, size: tuple[int, int] = (120, 40)
) -> Iterator[Terminal]:
    """A person at the step that waits for them."""
    with at_label(folder, rater, sample, size) as terminal:
        if "What to label" in terminal.text:
            terminal.press("enter")
        terminal.wait_for(lambda text: f"Label   {sample}" in text)
        yield terminal


def next_item(terminal: Terminal, left: list[str]) -> str:
    """The key of the item on the screen, once it is one of those left; takes it from them."""

    def shown(text: str) -> list[str]:
        # narrow screens name it in the title of its text only
        above = "".join(text.splitlines()[:2])
        return [key for key in left if key in above]

    (key,) = shown(terminal.wait_for(lambda text: bool(shown(text))))
    left.remove(key)
    terminal.settle()
    return key


def told(terminal: Terminal, wanted: str) -> None:
    """Waits for a sentence, wherever its lines break."""
    terminal.wait_for(lambda text: wanted in " ".join(text.split()))


def write(terminal: Terminal, draft: Draft, documents: int) -> None:
    """Writes the question of the open item, to which so many documents were given."""
    terminal.press("e")
    terminal.wait_for(EDITOR)
    terminal.press(draft.question)
    terminal.wait_for(draft.question[-12:])
    terminal.press("down", "down")
    for at, wanted in enumerate(draft.spans):
        mark(terminal, wanted)
        if at + 1 < documents:
            terminal.press("down")
    left = max(documents - len(draft.spans), 1 if len(draft.spans) == documents else 0)
    terminal.press(*["down"] * (left + 1), *draft.task)
    terminal.wait_for("type to narrow")
    terminal.press("enter")
    terminal.wait_for(EDITOR)
    hand_on(terminal)


def mark(terminal: Terminal, wanted: str) -> None:
    """Marks the sentence with a text in the document of the field under the cursor."""
    terminal.press("enter")
    terminal.wait_for(MARKING)
    terminal.press("/")
    terminal.settle()
    terminal.press(wanted, "enter")
    terminal.wait_for(" found")
    terminal.press("enter", "enter")
    terminal.wait_for(EDITOR)


def answer(terminal: Terminal, text: str) -> None:
    """Writes the answer of the open item; nothing for a question that has none."""
    terminal.press("e")
    terminal.wait_for(EDITOR)
    terminal.wait_for(lambda text: "system A" in text or "系统 A" in text)
    if text:
        terminal.press(text)
        terminal.wait_for(text[-8:])
    hand_on(terminal)


def hand_on(terminal: Terminal) -> None:
    """Reviews what was written, and hands it to the next step."""
    terminal.press("escape")
    terminal.wait_for(REVIEW)
    terminal.press("enter")
    terminal.wait_for(lambda text: text.lstrip().startswith("Label"))


def documents_of(folder: Path, subject: str) -> int:
    """The number of documents that were given for an item."""
    with open_workspace(folder) as workspace:
        now = reading.authored(workspace.db, Subject("revision", subject))
        (count,) = workspace.db.execute(
            "SELECT json_array_length(content, '$.turns[0].evidence') FROM revision WHERE id = ?",
            (now.commission,),
        ).fetchone()
    return int(count)
