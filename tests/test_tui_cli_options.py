"""The making of what a command asks for from its options."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from msgspec import Struct

from tui.cli.options import filled


class Wanted(Struct, frozen=True):
    name: str
    files: tuple[str, ...] = ()
    seed: int = 7
    run: str = ""


def given(**options: object) -> argparse.Namespace:
    """What a parser gives, beside options the function of the command."""
    return argparse.Namespace(**{"name": "q3", "run": "a function", **options})


def test_options_fill_the_fields_that_are_called_so() -> None:
    made = filled(Wanted, given(files=["a", Path("b")], seed=0, other=3), run="bm25")
    assert made == Wanted("q3", ("a", "b"), 0, "bm25")


def test_what_is_not_given_has_the_default_of_its_field() -> None:
    assert filled(Wanted, given(files=[], seed=None), run=None) == Wanted("q3")


def test_a_field_without_default_has_to_be_given() -> None:
    with pytest.raises(TypeError, match="name"):
        filled(Wanted, given(name=None), run=None)
