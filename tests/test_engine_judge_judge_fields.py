"""The forms of judges' tables: every method that tables define, described field by field."""

from __future__ import annotations

import pytest
from msgspec.structs import fields

from engine.judge.judge_fields import VARIANTS, judge_fields
from engine.judge.registry import METHODS
from store.workspace import open_workspace


def test_every_method_that_tables_define_has_a_form():
    named = {variant.fixed.get("method", "model") for variant in VARIANTS}
    assert named == METHODS.keys() - {"rules", "trained"}


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.name)
def test_every_field_of_a_form_says_what_it_is_for(variant, tmp_path):
    open_workspace(tmp_path, create=True).close()
    described = judge_fields(tmp_path, variant)
    keys = {one.name for one in fields(variant.struct)} - variant.fixed.keys() - variant.without
    assert {one.key for one in described} == keys
    assert all(one.about for one in described)
