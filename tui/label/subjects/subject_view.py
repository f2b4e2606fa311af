"""What is labelled, on screen: the part of a screen that depends on the kind of subject."""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from textual.containers import Container

from store.labels.forms import Hidden
from store.labels.log.events import Subject
from tui.shell.clipboard import Copyable
from tui.widgets.passage import Passage
from tui.widgets.sheet import Unseen


class SubjectView(Container):
    """Subclasses show one kind of subject. They know nothing of the rater's values.

    `load` reads all that `show` needs, over any connection and in any thread, because the next
    subjects are read ahead while one is being labelled; `show` therefore asks the store for
    nothing.
    """

    passage: Passage
    """The document that is shown."""

    @classmethod
    @abstractmethod
    def load(cls, db: sqlite3.Connection, subject: Subject) -> Any:
        """All that is shown of a subject. Raises NotFound when it is gone."""

    @abstractmethod
    def show(self, loaded: Any, hidden: frozenset[Hidden]) -> None:
        """Show what `load` gave, from its beginning, without what `hidden` names."""

    @abstractmethod
    def context(self) -> tuple[str, ...]:
        """Where the subject stands, for the top line: dataset, cell, name."""

    @abstractmethod
    def copies(self) -> Iterator[Copyable]:
        """What of the subject may be copied: nothing that is hidden now."""

    @abstractmethod
    def revealed_words(self) -> str:
        """What `hidden` withheld, in one line, once the rater has asked for it."""

    @property
    def has_more_documents(self) -> bool:
        """Whether there is another document than the one that is shown."""
        return False

    @property
    @abstractmethod
    def unseen(self) -> Unseen | None:
        """What is to be read and was never on the screen; None where all was."""

    def move(self, where: str) -> None:
        """Scroll what is still to be read, else the main pane: `page_down`, `page_up`, `first` or
        `last`; or a wide table: `left` or `right`."""

    def bring_up(self) -> None:
        """Show the documents, so that what a key did in them is seen."""

    def find(self) -> None:
        """Open the search of the document."""
        self.bring_up()
        self.passage.body.action_find()

    def next_mark(self) -> None:
        """To the next mark or match."""
        self.bring_up()
        self.passage.body.action_next_mark()

    def previous_mark(self) -> None:
        """To the mark or match before."""
        self.bring_up()
        self.passage.body.action_previous_mark()

    def next_passage(self) -> None:
        """To the next document that goes with the subject."""

    def previous_passage(self) -> None:
        """To the document before."""

    def whole(self) -> None:
        """One pane alone, or all of them again."""

    def other_pane(self) -> bool:
        """Give the focus to the next pane; False after the last one."""
        return False

    def first_pane(self) -> None:
        """Give the focus to the pane that one reads in first."""
        self.focus()
