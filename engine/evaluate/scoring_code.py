"""What identifies the code that an answer and its scores come from.

An equal run's passages, answers and scores are copied instead of being made again, so the code of
all that makes them counts: every module that retrieving, building a prompt, answering and scoring
import, the lists of words beside them, and the packages that compute in them. Nothing else does: a
change elsewhere must not end the reuse of a run.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path

ENTRIES = (
    "engine.answer.history",
    "engine.evaluate.answering",
    "engine.evaluate.pool_tasks",
    "engine.retrieve.stages",
)
"""What a run calls for each turn; all else is imported from there."""

NOT_FOLLOWED = ("engine.jobs", "store.migrations")
"""The runtime carries work to where it is computed, and a step of the schema changes rows that are
stored: neither is part of a computation. A step that changes what scores rest on has to empty
their `code` itself."""

PACKAGES = (
    "bm25s",
    "faiss-cpu",
    "jieba",
    "numpy",
    "rapidfuzz",
    "regex",
    "rjieba",
    "scikit-learn",
    "scipy",
)
"""Those that compute. Models of the extra `neural` are named by the system, as endpoints are."""

EQUAL_CODES: dict[str, tuple[str, ...]] = {}
"""By code, those of earlier versions that were proved to give equal answers and scores. None: the
rule judge of later versions scores otherwise than that of 0.1.0."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from ((?:engine|store)\b[\w.]*) import (\([^)]*\)|[^\n]+)"
    r"|import ((?:engine|store)\b[\w.]*))",
    re.MULTILINE,
)
_NAME = re.compile(r"\w+")


@cache
def scoring_code(root: Path = Path(__file__).parents[2]) -> str:
    """The identity of the code under `root`, which holds the packages `engine` and `store`, with
    the versions of `PACKAGES` that are installed: 16 hexadecimal digits."""
    digest = sha256("\n".join(metadata.version(package) for package in PACKAGES).encode())
    sources = computing_sources(root)
    for module in sorted(sources):
        digest.update(module.encode())
        digest.update(sources[module])
        for file in sorted(root.joinpath(*module.split(".")).glob("*.txt")):
            digest.update(file.name.encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def reusable_codes() -> tuple[str, ...]:
    """Whose scores are as good as those that would be computed now."""
    code = scoring_code()
    return (code, *EQUAL_CODES.get(code, ()))


def computing_sources(root: Path) -> dict[str, bytes]:
    """The source of each module under `root` that takes part, by name.

    Imports are read off the text, wherever they stand: one inside a function counts as well.
    """
    sources: dict[str, bytes] = {}
    left = list(ENTRIES)
    while left:
        module = left.pop()
        if module in sources or module.startswith(NOT_FOLLOWED):
            continue
        source = _source(root, module)
        if source is None:  # a name inside a module
            continue
        sources[module] = source
        left.append(module.rpartition(".")[0])
        left += _imported(source.decode())
    return sources


def _imported(text: str) -> Collection[str]:
    """Every module that the text may import: a name taken from a package may be one."""
    modules: set[str] = set()
    for source, names, whole in _IMPORT.findall(text):
        modules.add(source or whole)
        modules |= {f"{source}.{name}" for name in _NAME.findall(names)}
    return modules


def _source(root: Path, module: str) -> bytes | None:
    if not module:
        return None
    path = root.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        try:
            return file.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
    return None
