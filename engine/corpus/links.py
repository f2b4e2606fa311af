"""Links in folders that lead out of what a person named: read only where that was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from store.errors import InputError

LEADS_OUT = "the link leads out of what is read"
FOLLOW = "let links be followed, if its texts may be shown to models"


def resolved(paths: Iterable[Path]) -> list[Path]:
    """The paths with their links resolved; also of one that does not exist."""
    return [Path(os.path.realpath(path)) for path in paths]


def leads_out(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a path, with its links resolved, is below none of the resolved `roots`."""
    (target,) = resolved([path])
    return not any(target.is_relative_to(root) for root in roots)


def refuse_links(named: Iterable[Path], files: Iterable[Path], *, follow_links: bool) -> None:
    """Raises InputError for the first of `files` that a link leads out of the `named` paths,
    before it is read, unless links are to be followed."""
    roots = resolved(named)
    for file in files:
        if not follow_links and leads_out(file, roots):
            raise InputError(
                f"{file}: {LEADS_OUT}.", f"{FOLLOW[0].upper()}{FOLLOW[1:]}.", "--follow-links"
            )
