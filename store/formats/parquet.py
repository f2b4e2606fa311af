"""Reads Parquet files through pyarrow.

At some 170 MB installed it is an extra, imported when such a file is written or read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from store.errors import InputError, WorkspaceError


def library() -> Any:
    """The module pyarrow. Raises an error that names the extra if it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise WorkspaceError(
            "Parquet needs pyarrow, which is not installed.",
            "Install it with `pip install 'ragdesk[parquet]'`, or export another kind.",
        ) from error
    return pyarrow


def read(file: Path) -> list[dict[str, Any]]:
    """All rows of a table. Raises InputError for a file that is missing or not Parquet."""
    pa = library()
    if not file.is_file():
        raise InputError(
            f"{file} cannot be read: there is no such file.",
            "Name a folder that an export as Parquet wrote.",
            "ragdesk export parquet",
        )
    try:
        rows: list[dict[str, Any]] = pa.parquet.read_table(file).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{file} cannot be read as Parquet: {error}.", "Export it again."
        ) from error
    return rows
