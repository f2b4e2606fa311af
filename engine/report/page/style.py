"""The style sheet of the pages: light, dark and printed.

Every colour is a pair for both grounds, `light-dark(...)`; which one holds is the setting of the
browser, or what a reader of a report chooses. A print is always light.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from engine.report.matrix.colours import (
    A_BETTER,
    B_BETTER,
    ON_DARK,
    ON_LIGHT,
    WHITE,
    Colour,
    between,
    hex_code,
    ink_on,
    paler,
    shade,
)

STEPS = 20
"""Shades beside the first; a cell's class is `h0` to `h20`, with few groups `p0` to `p20`."""
DIFFERENCE_STEPS = 10
"""Shades of a difference where A is better, `a0` to `a10`, or B, `b0` to `b10`; `pa0`, `pb0` with
few groups."""

_PAGES = (WHITE, (20, 23, 28))

Pair = tuple[Colour, Colour]


@cache
def style_sheet(*names: str) -> str:
    """The rules of all pages with the shades, then those of further sheets of this room by name."""
    sheets = [_sheet("page"), "\n".join(_shades()), *map(_sheet, names)]
    return "\n".join(sheet.strip() for sheet in sheets)


def _sheet(name: str) -> str:
    return Path(__file__).with_name(f"{name}.css").read_text("utf-8")


def _shades() -> Iterator[str]:
    light, dark = _PAGES
    for step in range(STEPS + 1):
        pair = (shade(step / STEPS, ON_LIGHT), shade(step / STEPS, ON_DARK))
        yield _rule(f".h{step}", pair)
        yield _rule(f".p{step}", (paler(pair[0], light), paler(pair[1], dark)))
    for name, ends in (("a", A_BETTER), ("b", B_BETTER)):
        for step in range(DIFFERENCE_STEPS + 1):
            share = 0.85 * step / DIFFERENCE_STEPS
            pair = (between(share, light, ends[0]), between(share, dark, ends[1]))
            yield _rule(f".{name}{step}", pair)
            yield _rule(f".p{name}{step}", (paler(pair[0], light), paler(pair[1], dark)))


def _rule(name: str, pair: Pair) -> str:
    grounds = ", ".join(map(hex_code, pair))
    inks = ", ".join(hex_code(ink_on(colour)) for colour in pair)
    return f"{name} {{ background: light-dark({grounds}); color: light-dark({inks}); }}"
