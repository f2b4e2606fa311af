"""Stored forms: a version for every content, and values checked against their field."""

from __future__ import annotations

import msgspec
import pytest

from engine.labelling.forms import load_form
from store.errors import InputError, NotFound, UsageError
from store.labels import forms
from store.labels.forms import Field, Form, Requirement, check_value
from store.workspace import Workspace


def test_a_changed_form_is_a_new_version_and_an_equal_one_is_not(workspace: Workspace):
    form = load_form("inspection")
    changed = msgspec.structs.replace(form, en="Second look")
    with workspace.write() as db:
        stored = [forms.register(db, one) for one in (form, form, changed, changed, form)]
    assert [one.version for one in stored] == [1, 1, 2, 2, 3]
    assert forms.latest(workspace.db, "inspection") == stored[-1]
    assert forms.listing(workspace.db) == [stored[-1]]
    assert forms.all_versions(workspace.db) == {one.id: one for one in stored}


def test_a_key_that_would_move_a_terminal_is_refused(workspace: Workspace):
    form = msgspec.structs.replace(load_form("inspection"), key="a\x1b]0;b")
    with pytest.raises(UsageError, match="cannot name a form"), workspace.write() as db:
        forms.register(db, form)


def test_a_form_that_nobody_used_is_not_found(workspace: Workspace):
    with pytest.raises(NotFound, match="Used here: none yet"):
        forms.latest(workspace.db, "inspection")


FORM = Form(
    key="f",
    zh="表",
    en="form",
    subject_kind="revision",
    fields=(
        Field("text", "文", "text", "text"),
        Field("flag", "旗", "flag", "flag"),
        Field("spans", "段", "spans", "spans", na=True),
    ),
    complete=(Requirement("text"),),
)
SPAN = {"document_id": "d1", "start": 0, "end": 4}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", "净值"),
        ("text", "na"),
        ("flag", True),
        ("spans", "na"),
        ("spans", [SPAN]),
        ("spans", [{"document_id": "d1", "start": None, "end": None}]),
    ],
)
def test_legal_values_are_taken(field, value):
    expected = tuple(value) if isinstance(value, list) else value
    assert check_value(FORM, field, value) == expected


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("text", " "),
        ("text", 3),
        ("flag", False),
        ("flag", 1),
        ("flag", "na"),
        ("spans", []),
        ("spans", [{**SPAN, "end": 0}]),
        ("spans", [{**SPAN, "start": None}]),
        ("spans", [{**SPAN, "quote": "x"}]),
        ("spans", ["d1"]),
        ("spans", "d1"),
        ("spans", 7),
    ],
)
def test_illegal_values_are_refused(field, value):
    with pytest.raises(InputError, match=f"f.{field} cannot be"):
        check_value(FORM, field, value)
