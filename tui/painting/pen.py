"""The escape sequences that change the style, move the cursor and scroll.

Only what xterm, tmux, screen and the Linux console agree upon. Sizes are in bytes as they are sent.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

RESET = "\x1b[m"
PLAIN = ""
"""The style of text without any colour or attribute."""

Place = tuple[int, int]
"""Column and row of a cell, from 0."""

_OFF = {1: 22, 2: 22, 3: 23, 4: 24, 5: 25, 6: 25, 7: 27, 8: 28, 9: 29}
"""What takes an attribute back; 22 takes back both bold and dim."""


class Look(NamedTuple):
    """What a style is made of; each part in the words of an SGR sequence."""

    attributes: frozenset[int] = frozenset()
    foreground: str = "39"
    background: str = "49"


def look(style: str) -> Look | None:
    """The parts of a style, `1;38;2;255;0;0`; None where it says something unusual."""
    codes = [int(code or 0) for code in style.split(";")] if style else []
    attributes: set[int] = set()
    foreground, background = "39", "49"
    while codes:
        code = codes.pop(0)
        if code in _OFF:
            attributes.add(code)
        elif code in (38, 48):
            length = {2: 4, 5: 2}.get(codes[0] if codes else -1)
            if length is None or len(codes) < length:
                return None
            colour = ";".join(map(str, (code, *codes[:length])))
            del codes[:length]
            if code == 38:
                foreground = colour
            else:
                background = colour
        elif 30 <= code <= 39 or 90 <= code <= 97:
            foreground = str(code)
        elif 40 <= code <= 49 or 100 <= code <= 107:
            background = str(code)
        else:
            return None
    return Look(frozenset(attributes), foreground, background)


@lru_cache(4096)
def change_style(old: str, new: str) -> str:
    """The shortest sequence after which text that was drawn in `old` is drawn in `new`."""
    if old == new:
        return ""
    if new == PLAIN:
        return RESET
    whole = f"\x1b[{new}m" if old == PLAIN else f"\x1b[0;{new}m"
    before, after = look(old), look(new)
    if before is None or after is None:
        return whole
    off = {_OFF[code] for code in before.attributes - after.attributes}
    kept = {code for code in before.attributes if _OFF[code] not in off}
    words = [str(code) for code in (*sorted(off), *sorted(after.attributes - kept))]
    words += [now for was, now in zip(before[1:], after[1:], strict=True) if was != now]
    parts = f"\x1b[{';'.join(words)}m" if words else ""
    return min(parts, whole, key=len)


def move(old: Place | None, new: Place) -> str:
    """The shortest sequence that brings the cursor from `old` to `new`; `old` may be unknown."""
    if old == new:
        return ""
    column, row = new
    if column:
        ways = [f"\x1b[{row + 1};{column + 1}H"]
    else:
        ways = [f"\x1b[{row + 1}H" if row else "\x1b[H"]
    if old is not None and old[1] == row:
        ways += _along(column - old[0])
        if not column:
            ways.append("\r")
    elif old is not None and old[0] == column:
        ways.append(f"\x1b[{_times(abs(row - old[1]))}{'B' if row > old[1] else 'A'}")
    return min(ways, key=len)


def _along(by: int) -> list[str]:
    if by > 0:
        return [f"\x1b[{_times(by)}C"]
    return ["\b" * -by, f"\x1b[{_times(-by)}D"]


def _times(count: int) -> str:
    return str(count) if count > 1 else ""


def scroll(top: int, bottom: int, by: int, last: int) -> str:
    """Moves the rows `top` to `bottom`, both included, up by `by`, or down by `-by`.

    The rows that come free are blank in the style at hand, which is to be plain. Afterwards the
    cursor may be anywhere. `last` is the last row of the screen: what reaches down to it needs no
    margins.
    """
    lines = f"\x1b[{_times(abs(by))}{'M' if by > 0 else 'L'}"
    to_top = move(None, (0, top))
    if bottom == last:
        return f"{to_top}{lines}"
    return f"\x1b[{top + 1};{bottom + 1}r{to_top}{lines}\x1b[r"
