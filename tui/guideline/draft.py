"""The text of a guideline that nobody has saved yet, kept in the workspace's folder."""

from __future__ import annotations

import re
from pathlib import Path

from store.files import write_whole
from store.sharing.modes import make_folder

FOLDER = "drafts"


class Draft:
    """One rater's draft of one form's guideline; kept while it is typed and when the line is
    cut."""

    def __init__(self, workspace: Path, form: str, rater: str) -> None:
        name = re.sub(r"[^\w.-]+", "-", f"guideline-{form}-{rater}")
        self.file = workspace / FOLDER / f"{name}.md"

    def read(self) -> str | None:
        """The draft; None where there is none."""
        try:
            return self.file.read_text("utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return None

    def keep(self, text: str) -> None:
        """Replaces the draft; raises OSError or RagdeskError where it cannot be written."""
        make_folder(self.file.parent)
        write_whole(text, self.file, force=True)

    def drop(self) -> None:
        """Removes the draft, if there is one."""
        self.file.unlink(missing_ok=True)
