"""What a key asks of the database: each question once, and few of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import groupby

import pytest
from labelling_workspaces import make_drafts
from tiny_workspaces import answer_and_score, make_run, prediction_ids

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.forms import load_form, shipped_forms
from engine.labelling.forms.rules import value_keys
from engine.labelling.session import LabelSession
from store.labels import guidelines
from store.labels.forms import Field, Form
from store.labels.log.authoring import is_authoring
from store.workspace import Workspace

FORMS = sorted(key for key in shipped_forms() if not key.startswith("authoring_"))
"""Steps of authoring are about what was given out, not about what was drawn."""
MOST = 12
"""Statements that one key may run, those that begin and end the transaction counted."""


FORMS = [key for key in shipped_forms() if not is_authoring(key)]
"""The steps of authoring are about items that a round gave out."""


@pytest.fixture
def answered(workspace: Workspace, released):
    """Drafted items, and two runs that have answered."""
    with workspace.write() as db:
        make_drafts(db)
        for name in ("first", "second"):
            for number in prediction_ids(db, make_run(db, released, name)):
                answer_and_score(db, number, [])
        guidelines.put(db, "inspection", "Score what you see.", "lead")
    return workspace


def statements(workspace: Workspace, act: Callable[[], object]) -> list[str]:
    """What `act` runs over the workspace's connection."""
    seen: list[str] = []
    workspace.db.set_trace_callback(seen.append)
    try:
        act()
    finally:
        workspace.db.set_trace_callback(None)
    # a trigger is reported by the text of the statement that fires it, right after it
    writes = ("INSERT ", "UPDATE ", "DELETE ")
    return [one for one, _ in groupby(seen) if one.startswith(writes)] + [
        one for one in seen if not one.startswith(writes)
    ]


def check(workspace: Workspace, act: Callable[[], object]) -> None:
    found = statements(workspace, act)
    assert [one for one, times in Counter(found).items() if times > 1] == []
    assert len(found) <= MOST, "\n".join(found)


def begun(workspace: Workspace, form: Form, *, raters: int = 2) -> LabelSession:
    """A session at the first subject of a sample of the form."""
    sources = {"revision": {"dataset": "drafts"}, "prediction": {"runs": ("first",)}}
    request = SampleRequest(
        f"for {form.key}",
        form.key,
        per_cell=9,
        raters_wanted=raters,
        **sources.get(form.subject_kind, {"runs": ("first", "second")}),
    )
    draw_sample(workspace, request)
    session = LabelSession(workspace, form.key, "王芳")
    assert session.begin()
    return session


def keyed(form: Form) -> list[Field]:
    """The fields that a key gives a value to."""
    return [field for field in form.fields if field.choices]


@pytest.mark.parametrize("key", FORMS)
@pytest.mark.parametrize("raters", [1, 2])
def test_a_value_is_saved_and_known_by_few_statements(
    answered: Workspace, key: str, raters: int
) -> None:
    form = load_form(key)
    session = begun(answered, form, raters=raters)
    subject = session.subject
    assert subject is not None
    for field in keyed(form):
        if field.key in session.state(subject).not_applicable:
            continue
        for value in value_keys(field).values():
            check(answered, lambda f=field, v=value: session.set(subject, f.key, v, active_ms=9))
            assert session.opened == session.state(subject)
            assert session.opened.values[field.key] == value
        check(answered, lambda f=field: session.clear(subject, f.key))
        assert session.opened == session.state(subject)


@pytest.mark.parametrize("key", FORMS)
def test_undo_and_redo_take_few_statements_too(answered: Workspace, key: str) -> None:
    form = load_form(key)
    session = begun(answered, form, raters=1)
    subject = session.subject
    assert subject is not None
    field = keyed(form)[-1]
    states = [session.opened]
    for value in value_keys(field).values():
        states.append(session.set(subject, field.key, value))
    for state in reversed(states[:-1]):
        check(answered, session.undo)
        assert session.opened == state == session.state(subject)
    for state in states[1:]:
        check(answered, session.redo)
        assert session.opened == state == session.state(subject)


def test_notes_take_few_statements_too(answered: Workspace) -> None:
    session = begun(answered, load_form("inspection"))
    subject = session.subject
    assert subject is not None
    for act in (
        lambda: session.comment(subject, "单位不明", "score"),
        lambda: session.flag(subject),
        lambda: session.postpone(subject),
        lambda: session.exclude(subject, "broken"),
        lambda: session.reveal(subject, "author"),
    ):
        check(answered, act)
        assert session.opened == session.state(subject)


def test_the_next_subject_is_taken_and_read_by_few_statements(answered: Workspace) -> None:
    session = begun(answered, load_form("inspection"))
    first = session.subject
    assert first is not None
    foreseen = [one.subject for one in session.upcoming(3) if one.subject != first]
    check(answered, lambda: session.set(first, "score", 4, active_ms=9))
    check(answered, lambda: session.advance(foreseen))
    assert session.subject == foreseen[0]
