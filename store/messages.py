"""Parts of messages: a number with its noun, and suggestions for a name that does not exist."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from store.errors import NotFound, UsageError

SHOWN = 20
"""A longer list is cut, and says by how many."""
_LIKE_ENOUGH = 0.6
"""Share of the signs that two names have in common, in order, as difflib counts it."""


_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters, line ends, marks that turn the direction of text, and bytes of no text."""


def check_printable(kind: str, name: str) -> None:
    """Raises UsageError for a new name that is blank or that could not be shown as it is."""
    if not name.strip() or _CONTROLS.search(name):
        raise UsageError(
            f"{name!r} cannot name a {kind}.",
            "Use a name that is not blank and holds no control characters.",
        )


def plural(number: int, noun: str, many: str = "") -> str:
    """The number with its noun, `1 item`, `1,200 items`; `many` for a plural without an s."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


def no_such(
    kind: str, given: object, known: Iterable[object], label: str, *, none: str = "none yet"
) -> NotFound:
    """The error for a name that is not among `known`: `There is no KIND 'GIVEN'.`, then what
    `choices` says."""
    return NotFound(f"There is no {kind} {str(given)!r}.", choices(given, known, label, none=none))


def choices(
    given: object, known: Iterable[object], label: str, *, none: str = "none yet", end: str = "."
) -> str:
    """`Did you mean 'sample'? LABEL: finance, sample.`, without the question where no name is
    near, and cut where there are many names. `none` stands for an empty list."""
    names = [str(name) for name in known]
    near = nearest(given, names)
    asked = f"Did you mean {near!r}? " if near else ""
    return f"{asked}{label}: {listed(names, none=none)}{end}"


def listed(names: Sequence[str], *, none: str = "none yet") -> str:
    """The names in one line: all of a short list, the first of a long one with the number of
    others.
    """
    if len(names) <= SHOWN:
        return ", ".join(names) or none
    shown = names[: SHOWN // 2]
    return f"{', '.join(shown)} and {len(names) - len(shown):,} more"


def nearest(given: object, known: Iterable[object]) -> str:
    """The name that a mistyped one most likely means; empty if none is similar."""
    # imported only now: no command needs it that goes well
    from difflib import get_close_matches

    by_folded: dict[str, str] = {}
    for name in known:
        by_folded.setdefault(_folded(name), str(name))
    closest = get_close_matches(_folded(given), by_folded, n=1, cutoff=_LIKE_ENOUGH)
    return by_folded[closest[0]] if closest else ""


def _folded(name: object) -> str:
    return unicodedata.normalize("NFKC", str(name)).casefold()
