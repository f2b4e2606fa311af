"""Forms of one's own: found beside the shipped ones, checked, and kept to once labelled with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from label_workspaces import label_workspace
from own_forms import TONE, changed, write_form

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.exporting import label_rows
from engine.labelling.figures.agreement import rater_agreement
from engine.labelling.forms import find_form, load_form, shipped_forms, usable_forms
from engine.labelling.forms.own import own_keys, read_own, starting_form
from engine.labelling.session import LabelSession
from store.errors import Conflict, InputError, NotFound
from store.labels import forms
from store.labels.replay import problems
from store.workspace import Workspace


@pytest.fixture
def made(tmp_path: Path):
    with label_workspace(tmp_path / "w", 4, characters=200) as workspace:
        write_form(workspace.folder, TONE)
        yield workspace


def draw(workspace: Workspace, raters: int = 1) -> None:
    request = SampleRequest(
        "tone", "口吻", per_cell=9, runs=("retriever-x-1",), raters_wanted=raters
    )
    draw_sample(workspace, request)


def label(workspace: Workspace, rater: str, values: dict[str, object]) -> None:
    session = LabelSession(workspace, "口吻", rater)
    while (queued := session.next()) is not None:
        for field, value in values.items():
            session.set(queued.subject, field, value)


def field(workspace: Workspace, at: int, **parts: object) -> None:
    """Changes a field of the form's file."""
    form = changed()
    form["fields"][at] |= parts
    write_form(workspace.folder, form)


def test_the_workspaces_form_is_found_beside_the_shipped_ones(made) -> None:
    assert find_form(made.db, "口吻").zh == "口吻与礼貌"
    assert find_form(made.db, "inspection") is load_form("inspection")
    assert list(usable_forms(made.db))[-1] == "口吻"
    with pytest.raises(NotFound, match="口吻"):
        find_form(made.db, "口味")


def test_answers_are_drawn_labelled_compared_and_exported_with_it(made) -> None:
    draw(made, raters=2)
    label(made, "王芳", {"politeness": 2, "register": "formal"})
    label(made, "li", {"politeness": 2, "register": "na"})
    found = rater_agreement(made.db, "口吻", resamples=9)
    raw = {(row.field, row.part): row.statistics["raw"].value for row in found.rows}
    assert raw["politeness", "value"] == 1
    assert raw["register", "applicability"] == 0
    rows, columns = label_rows(made, "口吻")
    assert {"politeness", "register"} < set(columns)
    assert {row["register"] for row in rows} == {"formal", "na"}
    assert list(problems(made.db)) == []


def test_a_changed_file_is_a_new_version_and_the_labels_stay(made) -> None:
    draw(made)
    label(made, "王芳", {"politeness": 2, "register": "formal"})
    choices = [*TONE["fields"][0]["choices"], {"value": 3, "zh": "谦恭", "en": "humble"}]
    field(made, 0, choices=choices, zh="礼貌程度")
    session = LabelSession(made, "口吻", "li")
    assert session.form.fields[0].zh == "礼貌程度"
    assert forms.latest(made.db, "口吻").version == 2
    assert len(label_rows(made, "口吻")[0]) == 4
    assert list(problems(made.db)) == []


@pytest.mark.parametrize(
    ("at", "parts", "said"),
    [
        (0, {"key": "courtesy"}, "no field 'politeness'"),
        (0, {"kind": "choice"}, "no field 'politeness' of kind scale"),
        (0, {"choices": TONE["fields"][0]["choices"][1:]}, "no value 0 of field 'politeness'"),
        (1, {"na": False}, "'register' no longer be not applicable"),
    ],
)
def test_what_labels_rest_on_cannot_be_taken_away(made, at, parts, said) -> None:
    draw(made)
    label(made, "王芳", {"politeness": 0, "register": "formal"})
    form = changed()
    form["fields"][at] |= parts
    form["complete"] = [{"field": one["key"]} for one in form["fields"]]
    write_form(made.folder, form)
    with pytest.raises(Conflict, match=said):
        LabelSession(made, "口吻", "li")


def test_before_the_first_label_anything_may_change(made) -> None:
    draw(made)
    field(made, 0, key="courtesy")
    write_form(made.folder, changed(subject_kind="revision"))
    assert LabelSession(made, "口吻", "li").form.subject_kind == "revision"


def test_without_its_file_a_form_that_was_used_stays_as_it_was(made) -> None:
    draw(made)
    (made.folder / "forms" / "口吻.json").unlink()
    assert find_form(made.db, "口吻").en == "Tone"
    assert own_keys(made.db) == ("口吻",)
    label(made, "王芳", {"politeness": 1, "register": "na"})


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (changed(key="tone"), "its key is 'tone', but the file is called 口吻.json"),
        (changed(fields=[{"key": "a"}]), "missing required field `zh`"),
        (changed(hiden=[]), "unknown field `hiden`"),
        (changed(complete=[{"field": "tact"}]), "`complete` names a field 'tact'"),
        (
            changed(
                fields=[{"key": "why", "zh": "原因", "en": "why", "kind": "text"}],
                complete=[{"field": "why"}],
            ),
            "field 'why' is of kind text; a desk asks for scale, choice, revision",
        ),
        (changed(fields=[TONE["fields"][0] | {"shortcut": "p"}, TONE["fields"][1]]), "shortcut"),
        (
            changed(
                fields=[
                    TONE["fields"][0],
                    TONE["fields"][1] | {"choices": [{"value": "x", "zh": "某", "en": "some"}]},
                ]
            ),
            "value 'x' of field 'register' needs a digit as its `key`",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(made, form, said) -> None:
    file = write_form(made.folder, form)
    with pytest.raises(InputError, match=said) as raised:
        find_form(made.db, "口吻")
    assert str(file) in str(raised.value)
    assert "口吻" not in usable_forms(made.db)


@pytest.mark.parametrize("data", [b'{"key": "\xbf\xda"}', b'{"key": "\\ud800"}', b"[" * 200_000])
def test_a_file_of_bytes_that_are_no_form_is_refused(made, data: bytes) -> None:
    file = write_form(made.folder, changed())
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"Correct that field of the form") as raised:
        find_form(made.db, "口吻")
    assert str(file) in str(raised.value)


def test_a_shipped_form_cannot_be_replaced(made) -> None:
    file = write_form(made.folder, changed(key="inspection"), "inspection")
    with pytest.raises(InputError, match="comes with ragdesk"):
        read_own(file)
    assert find_form(made.db, "inspection") is load_form("inspection")


@pytest.mark.parametrize("key", [key for key in shipped_forms() if not key.startswith("authoring")])
def test_every_shipped_form_is_a_sound_beginning(made, key: str) -> None:
    import msgspec

    form = msgspec.json.decode(msgspec.json.encode(starting_form("mine", load_form(key))))
    assert read_own(write_form(made.folder, form, "mine")).fields
    assert json.loads((made.folder / "forms" / "mine.json").read_text("utf-8"))["key"] == "mine"
