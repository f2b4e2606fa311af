"""The query for the words of a text, apart from the screens so that answering imports none."""

from __future__ import annotations

from msgspec import Struct

from store.workspace import Workspace


class WordsQuery(Struct, frozen=True):
    """The words of a text, for moving in it."""

    text: str

    def answer(self, workspace: Workspace) -> tuple[tuple[int, int], ...]:
        """Start and end of each word."""
        from engine.text.segmentation import word_spans

        return tuple(word_spans(self.text))
