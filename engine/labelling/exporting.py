"""Labels as a table that imports again: a row for every rater and subject."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.labelling.forms import find_form
from store.errors import UsageError
from store.formats.label_rows import write_label_rows
from store.labels import standing
from store.labels.subjects import NAMES, names_of
from store.workspace import Workspace

SUFFIXES = (".csv", ".jsonl")


def label_rows(workspace: Workspace, form_key: str) -> tuple[list[dict[str, Any]], list[str]]:
    """(rows, columns): names of the subject, rater, status, values, comment, by subject and rater.

    Values that are texts' revisions or spans are left out: they mean nothing elsewhere. `origin` is
    the least human one of the row's values."""
    form = find_form(workspace.db, form_key)
    fields = [one.key for one in form.fields if one.kind not in ("revision", "spans")]
    columns = [*NAMES[form.subject_kind], "again", "rater", "status", *fields, "comment", "origin"]
    names = names_of(workspace.db, form.subject_kind)
    rows = []
    for row in standing.rows(workspace.db, form.key):
        values = {key: value for key, value in row.values.items() if key in fields}
        if values or row.comment:
            rows.append(
                {
                    **names[row.subject.base],
                    "again": row.subject.is_repeat,
                    "rater": row.rater,
                    "status": row.status,
                    **values,
                    "comment": row.comment or None,
                    "origin": row.origin,
                }
            )
    return rows, columns


def label_file(workspace: Workspace, form_key: str, out: Path) -> str:
    """The text of a file called `out`, .csv or .jsonl."""
    if out.suffix not in SUFFIXES:
        raise UsageError(f"{out} is neither .csv nor .jsonl.", "Give it one of these endings.")
    rows, columns = label_rows(workspace, form_key)
    return write_label_rows(rows, columns, out.suffix)
