"""Reads a workspace from a notebook or a script, without changing it.

    from engine import notebook
    workspace = notebook.open("ragdesk-workspace")
    workspace.scores(run="bm25", metric="f1")

What it gives are the rows of the documented views `v1_*`, see docs/notebooks.md.
"""

from __future__ import annotations

import sqlite3
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any

from store import views
from store.errors import UsageError, WorkspaceError
from store.faults import explain, reading_uri
from store.workspace import FILE_NAME


class Notebook:
    """A workspace that is only read. Each method gives the rows of a view whose columns have the
    wanted values: a list of dictionaries, or with `frame=True` a data frame of pandas.
    """

    def __init__(self, file: Path) -> None:
        if not file.is_file():
            raise WorkspaceError(f"{file.parent} holds no workspace.", "Name its folder.")
        try:
            self._db = sqlite3.connect(reading_uri(file), uri=True)
            (known,) = self._db.execute(
                "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = 'v1_labels'"
            ).fetchone()
        except sqlite3.Error as error:
            raise explain(error, file) from error
        if not known:
            self.close()
            raise WorkspaceError(
                f"{file} was written by an older ragdesk.",
                "Open it once, such as by `ragdesk runs`, which upgrades it.",
            )

    def runs(self, *, frame: bool = False, **wanted: Any) -> Any:
        """The runs, oldest first."""
        return self._rows("runs", frame, wanted)

    def predictions(self, *, frame: bool = False, **wanted: Any) -> Any:
        """The predictions, with what was retrieved for them."""
        return self._rows("predictions", frame, wanted)

    def scores(self, *, frame: bool = False, **wanted: Any) -> Any:
        """The scores of every metric, variant and judge, with state and reason."""
        return self._rows("scores", frame, wanted)

    def items(self, *, frame: bool = False, **wanted: Any) -> Any:
        """The items of all datasets as they are now."""
        return self._rows("items", frame, wanted)

    def labels(self, *, frame: bool = False, **wanted: Any) -> Any:
        """What every rater says now."""
        return self._rows("labels", frame, wanted)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Notebook:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _rows(self, view: str, frame: bool, wanted: dict[str, Any]) -> Any:
        rows = list(views.rows(self._db, view, **wanted))
        if not frame:
            return rows
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise UsageError(
                "A data frame needs pandas, which is not installed.",
                "Install it with `pip install pandas`, or leave frame=True out.",
            ) from error
        return pandas.DataFrame(rows, columns=views.columns(self._db, view))


def open(folder: str | Path) -> Notebook:
    """Opens the workspace in a folder for reading. Raises WorkspaceError where there is none."""
    return Notebook(Path(folder) / FILE_NAME)
