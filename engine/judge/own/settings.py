"""Judges of one's own: the `[judges.NAME]` tables with `method = "python"`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from msgspec import Struct

from engine.judge.base import JudgeSpec
from engine.judge.own.metrics import PREFIX
from engine.judge.settings import JudgeTable
from engine.settings.fields import Variant, about
from engine.settings.reader import check_ranges
from store.errors import InputError
from store.hashing import content_hash
from store.sharing.rights import readable_text

KIND = "python"
VERSION = 1
"""Raised whenever the way of calling functions or of reading what they give changes a score."""
_NAME = re.compile(rf"{PREFIX}[a-z0-9_]+")


class _Table(Struct, forbid_unknown_fields=True):
    file: Annotated[str, about("Python file in the workspace, with the function")]
    metrics: Annotated[
        tuple[str, ...], about(f"its metrics, named {PREFIX}...", example=f"{PREFIX}metric")
    ]
    timeout_s: Annotated[float, about("seconds for one answer")] = 10.0
    memory_mb: Annotated[int, about("address space of its process, in MB")] = 2048


VARIANTS = (Variant(KIND, "metrics of your own, by a Python function", _Table),)


def own_judge(folder: Path, written: JudgeTable) -> JudgeSpec:
    """The judge that a table defines. Its file is read, and not executed.

    Raises InputError, naming the field, for a name that no metric of one's own can have, a limit
    out of its range, and what `source_of` refuses.
    """
    table = written.named(_Table)
    wrong = [name for name in table.metrics if not _NAME.fullmatch(name)]
    if wrong or not table.metrics or len(set(table.metrics)) < len(table.metrics):
        raise InputError(
            f"{written.place}.metrics is {list(table.metrics)}.",
            f"Name metrics {PREFIX}... in small letters, digits and _, each once.",
        )
    check_ranges(
        written.place,
        (("timeout_s", table.timeout_s, 0.1, 3600), ("memory_mb", table.memory_mb, 64, 1_000_000)),
    )
    source = source_of(folder, table.file, f"{written.place}.file")
    config = {
        "judge": written.name,
        "kind": KIND,
        "version": VERSION,
        "file": table.file,
        "file_hash": content_hash(source),
        "metrics": list(table.metrics),
        "timeout_s": table.timeout_s,
        "memory_mb": table.memory_mb,
    }
    return JudgeSpec(written.name, KIND, table.metrics, config)


def source_of(folder: Path, name: str, place: str) -> str:
    """The text of a Python file of the workspace.

    Raises InputError, beginning with `place`, for a file outside the workspace, and what
    `readable_text` raises: it is run with the rights of whoever judges.
    """
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise InputError(f"{place} is {name!r}, which is outside the workspace.", "Move it there.")
    return readable_text(file, place)
