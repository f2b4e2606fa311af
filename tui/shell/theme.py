"""The signs and styles that every widget draws with, from the theme's colours.

A widget names a role (`muted`, `cursor`, `evidence`) and never a colour. Each role that carries
meaning also has an attribute (bold, underline, reverse) or goes with a sign, so that it can be
told without colour. No sign here is of ambiguous width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from engine.report.matrix.colours import ON_DARK, ON_LIGHT, ink_on, luminance, paler
from engine.report.matrix.colours import shade as scale_shade
from engine.text.signs import draws_ascii

DARK = Theme(
    name="ragdesk-dark",
    primary="#5b9dd9",
    secondary="#8a94a6",
    accent="#e6b450",
    success="#7fb685",
    warning="#e0995e",
    error="#e06c75",
    foreground="#d5dae1",
    background="#14171c",
    surface="#1a1e24",
    panel="#232830",
    dark=True,
)
LIGHT = Theme(
    name="ragdesk-light",
    primary="#2567a8",
    secondary="#626d7d",
    accent="#8a5a00",
    success="#2d7a3e",
    warning="#a4520d",
    error="#b3303c",
    foreground="#20252c",
    background="#fbfbf9",
    surface="#f3f3f0",
    panel="#e6e6e1",
    dark=False,
)
THEMES = (DARK, LIGHT)


@dataclass(frozen=True, slots=True)
class Signs:
    """One cell each, in every terminal."""

    cursor: str
    cursor_idle: str
    """Of what has a cursor but not the focus."""
    more_left: str
    more_right: str
    separator: str
    bar_full: str
    bar_half: str
    bar_empty: str
    good: str
    bad: str


_UNICODE = Signs("❯", "›", "‹", "›", "∙", "⣿", "⡇", "⣀", "✓", "✗")
_ASCII = Signs(">", "-", "<", ">", "-", "#", "=", ".", "*", "x")
SIGNS = _ASCII if draws_ascii() else _UNICODE


def role_styles(colours: Mapping[str, str], ansi: bool = False) -> dict[str, Style]:
    """A style for every role, from a theme's variables; `ansi` keeps to the terminal's own colours.

    Styles are partial: they are laid over the widget's own foreground and background.
    """
    if ansi:
        return dict(_ATTRIBUTES)
    theme = {name: Color.parse(colours[name]) for name in _BASE_COLOURS}
    ground, ink = theme["background"], theme["foreground"]

    def tint(name: str, share: float) -> Color:
        return ground.blend(theme[name], share)

    coloured = {
        "muted": _style(ink.blend(ground, 0.42)),
        "accent": _style(theme["accent"]),
        "good": _style(theme["success"]),
        "bad": _style(theme["error"]),
        "warn": _style(theme["warning"]),
        "key": _style(theme["accent"]),
        "header": _style(ink.blend(ground, 0.3)),
        "bar": _style(theme["primary"]),
        "band": _style(None, theme["panel"]),
        "cursor": _style(ink, tint("primary", 0.34)),
        "cursor-idle": _style(None, theme["panel"]),
        "chunk": _style(None, tint("primary", 0.2)),
        "evidence": _style(ink, tint("success", 0.36)),
        "answer": _style(ink, tint("primary", 0.4)),
        "match": _style(ink, tint("accent", 0.26)),
        "differs": _style(theme["error"]),
        "find": _style(ground, theme["accent"]),
        "current": _style(ground, theme["warning"]),
    }
    return {role: _ATTRIBUTES[role] + coloured.get(role, Style()) for role in _ATTRIBUTES}


_BASE_COLOURS = (
    "foreground",
    "background",
    "panel",
    "primary",
    "accent",
    "success",
    "warning",
    "error",
)

_ATTRIBUTES: dict[str, Style] = {
    "": Style(),
    "strong": Style(bold=True),
    "muted": Style(),
    "accent": Style(),
    "good": Style(),
    "bad": Style(),
    "warn": Style(),
    "key": Style(bold=True),
    "header": Style(bold=True),
    "bar": Style(),
    "band": Style(),
    "cursor": Style(bold=True),
    "cursor-idle": Style(),
    "cell-cursor": Style(bold=True, reverse=True),
    "chunk": Style(),
    "evidence": Style(bold=True),
    "answer": Style(bold=True, underline=True),
    "match": Style(underline=True),
    "differs": Style(bold=True, reverse=True),
    "chosen": Style(bold=True, underline=True),
    "find": Style(underline=True),
    "current": Style(bold=True, underline=True),
}
"""The part of each role that survives without colour."""


def _style(colour: Color | None, ground: Color | None = None) -> Style:
    return Style.from_color(
        colour.rich_color if colour is not None else None,
        ground.rich_color if ground is not None else None,
    )


def heat_style(
    colours: Mapping[str, str],
    shade: float,
    ansi: bool = False,
    *,
    is_small: bool = False,
    is_signed: bool = False,
) -> Style:
    """The shade of a heat-map cell, 0 to 1, on the scale that exported pictures have, too.

    A signed shade, -1 to 1, leads from the page to the theme's primary colour, or to that of
    errors. The text colour is chosen for contrast. A cell with few groups is paler.
    """
    if ansi:
        return Style()
    page = Color.parse(colours["background"])
    if is_signed:
        pole = Color.parse(colours["primary" if shade >= 0 else "error"])
        colour = page.blend(pole, 0.1 + 0.75 * min(abs(shade), 1.0)).rgb
    else:
        colour = scale_shade(shade, ON_DARK if luminance(page.rgb) < 0.2 else ON_LIGHT)
    if is_small:
        colour = paler(colour, page.rgb)
    return _style(Color(*ink_on(colour)), Color(*colour))
