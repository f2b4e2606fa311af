"""Colour scales for means, readable with any colour vision and on a black-and-white print.

A scale is sequential: its lightness falls (or, on dark ground, rises) all the way, its hue goes
from yellow over green to blue and violet. Small values lie close to the ground. A cell with few
groups keeps the hue of its value, paler (`paler`), in every heat map; a sign marks it, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from engine.results.matrix import Matrix

Colour = tuple[int, int, int]
"""Red, green and blue, each 0 to 255."""

ON_LIGHT: tuple[Colour, ...] = (
    (253, 248, 222),
    (206, 230, 178),
    (125, 201, 164),
    (55, 157, 163),
    (47, 105, 148),
    (62, 48, 110),
)
ON_DARK: tuple[Colour, ...] = (
    (45, 33, 72),
    (52, 63, 117),
    (42, 105, 131),
    (43, 145, 128),
    (117, 190, 106),
    (245, 229, 123),
)
BLACK: Colour = (0, 0, 0)  # pure, so that it or white has 4.5 on any ground
WHITE: Colour = (255, 255, 255)

A_BETTER: tuple[Colour, Colour] = ((30, 100, 175), (96, 165, 236))
B_BETTER: tuple[Colour, Colour] = ((190, 88, 0), (236, 150, 70))
"""Ends of the scale of a difference, on light and on dark ground; 0 is the ground itself."""

SHADES = (230, 187, 151, 115, 79, 73, 67, 61, 55)
"""`ON_LIGHT` in a terminal's palette of 256 colours, pale yellow to violet, ever darker; chosen by
hand, as the nearest colours do not darken evenly."""
PALE_SHADES = (231, 230, 194, 194, 158, 152, 152, 146, 140)
"""The same for cells with few groups: near what `paler` makes of each on white."""

_LEAST_DIFFERENCE = 0.1
"""Differences below this never take the full shade, however small all of them are."""
_KEPT = 0.45
"""Share of its colour that a cell with few groups keeps."""

_NICE = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


class Scale(Struct, frozen=True):
    """The value at the end of the colour scale; the other end is 0, so shades compare."""

    top: float

    def position(self, value: float) -> float:
        """0 to 1; values beyond an end count as that end."""
        return min(max(value / self.top, 0.0), 1.0)


def scale_of(matrices: Iterable[Matrix]) -> Scale:
    """One scale for matrices that shall compare: up to the largest mean of a cell, rounded up."""
    largest = max(
        (
            cell.summary.mean
            for matrix in matrices
            for row in matrix.cells
            for cell in row
            if cell is not None and cell.summary.mean is not None
        ),
        default=1.0,
    )
    if largest <= 0:
        return Scale(1.0)
    power = 10.0 ** math.floor(math.log10(largest))
    # the margin keeps a mean such as 0.30000000000000004 from asking for the next step
    factor = next(nice for nice in _NICE if largest <= nice * power * (1 + 1e-9))
    return Scale(max(round(factor * power, 12), 0.1))


def difference_scale(differences: Iterable[float], higher_is_better: bool | None) -> float:
    """The difference that takes the full shade of `A_BETTER`; negative where lower is better."""
    largest = max(map(abs, differences), default=0.0)
    return max(largest, _LEAST_DIFFERENCE) * (-1 if higher_is_better is False else 1)


def shade(position: float, stops: Sequence[Colour] = ON_LIGHT) -> Colour:
    """The colour at a position of the scale, 0 to 1; linear between the stops."""
    place = min(max(position, 0.0), 1.0) * (len(stops) - 1)
    index = min(int(place), len(stops) - 2)
    return between(place - index, stops[index], stops[index + 1])


def between(share: float, ground: Colour, end: Colour) -> Colour:
    """The colour at a share of the way from the ground to an end, 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(ground, end, strict=True))
    return red, green, blue


def paler(colour: Colour, page: Colour) -> Colour:
    """The colour of a cell with few groups: its hue, mixed with that of the page it stands on."""
    return between(_KEPT, page, colour)


def luminance(colour: Colour) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2)."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (channel / 255 for channel in colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: Colour, second: Colour) -> float:
    """Contrast ratio, 1 to 21 (WCAG 2.2); text needs 4.5."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def ink_on(ground: Colour) -> Colour:
    """Black or white, whichever reads better on the ground."""
    return max((BLACK, WHITE), key=lambda ink: contrast(ink, ground))


def hex_code(colour: Colour) -> str:
    """`#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
