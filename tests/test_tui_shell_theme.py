"""Roles and signs: every state is told without colour, and no sign is of ambiguous width."""

from __future__ import annotations

import unicodedata

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from engine.report.matrix.colours import ON_DARK, ON_LIGHT, shade
from tui.shell.theme import SIGNS, THEMES, heat_style, role_styles

NAMED = [*THEMES, *(theme for name, theme in BUILTIN_THEMES.items() if not theme.ansi)]


def variables(theme: Theme) -> dict[str, str]:
    return theme.to_color_system().generate()


def test_no_sign_is_of_ambiguous_width() -> None:
    for sign in (getattr(SIGNS, name) for name in SIGNS.__slots__):
        assert unicodedata.east_asian_width(sign) in "N Na"


@pytest.mark.parametrize("theme", NAMED, ids=lambda theme: theme.name)
def test_every_theme_gives_every_role_a_style(theme: Theme) -> None:
    assert role_styles(variables(theme)).keys() == role_styles({}, ansi=True).keys()


def test_the_roles_that_carry_meaning_differ_without_colour() -> None:
    plain = role_styles({}, ansi=True)
    for role in ("evidence", "answer", "match", "find", "current", "cursor", "cell-cursor"):
        assert plain[role] != plain[""]
        assert plain[role].color is None


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("shade", [-1.0, -0.4, 0.0, 0.2, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("is_small", [False, True])
@pytest.mark.parametrize("is_signed", [False, True])
def test_numbers_stay_readable_on_every_shade(
    theme: Theme, shade: float, is_small: bool, is_signed: bool
) -> None:
    style = heat_style(variables(theme), shade, is_small=is_small, is_signed=is_signed)
    assert style.color is not None
    assert style.bgcolor is not None
    ink, ground = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    assert abs(ink.brightness - ground.brightness) > 0.35


@pytest.mark.parametrize("theme", NAMED, ids=lambda theme: theme.name)
@pytest.mark.parametrize("is_signed", [False, True])
def test_a_cell_with_few_groups_has_a_shade_between_the_page_and_its_own(
    theme: Theme, is_signed: bool
) -> None:
    colours = variables(theme)
    page = Color.parse(colours["background"]).rgb
    full, pale = (
        heat_style(colours, 0.8, is_small=small, is_signed=is_signed).bgcolor
        for small in (False, True)
    )
    assert full is not None
    assert pale is not None
    for ground, mixed, own in zip(page, pale.triplet, full.triplet, strict=True):
        assert min(ground, own) <= mixed <= max(ground, own)
    assert pale.triplet not in (full.triplet, page)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_a_mean_has_the_colour_that_it_has_in_exported_pictures(theme: Theme) -> None:
    ground = heat_style(variables(theme), 0.5).bgcolor
    assert ground is not None
    assert ground.triplet == shade(0.5, ON_DARK if theme.dark else ON_LIGHT)
