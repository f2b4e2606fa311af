"""Forms: the shipped ones are sound, unsound ones are refused with what is wrong in words."""

from __future__ import annotations

import json
from importlib import resources

import msgspec
import pytest

from engine.judge.base import LABELLED
from engine.labelling.forms import (
    fields_not_applicable,
    load_form,
    parse_form,
    prediction_facts,
    revision_facts,
    shipped_forms,
    value_keys,
    warnings_for,
)
from engine.labelling.forms.rules import focus_keys, value_of_key
from engine.metrics.spec import SPECS
from store.errors import InputError, NotFound
from store.labels.forms import is_complete
from store.records import ItemContent, Turn


def shipped(key: str) -> dict:
    text = resources.files("engine.labelling.forms").joinpath("shipped", f"{key}.json").read_bytes()
    return json.loads(text)


def test_every_judgement_of_the_papers_has_its_form():
    assert shipped_forms() == (
        "authoring",
        "authoring_answer",
        "authoring_question",
        "authoring_vetting",
        "inspection",
        "judge_labels",
        "preference",
        "reasonable",
        "six_questions",
    )
    assert [load_form(key).key for key in shipped_forms()] == list(shipped_forms())


def test_an_unknown_form_names_those_there_are():
    with pytest.raises(NotFound, match="inspection, judge_labels"):
        load_form("inspect")


def test_judge_labels_have_the_scales_of_the_metrics():
    scales = {
        field.key: max(choice.value for choice in field.choices)
        for field in load_form("judge_labels").fields
    }
    assert scales == {spec.name: spec.maximum for spec in SPECS if spec.name in LABELLED}


def test_digits_are_values_and_minus_is_not_applicable():
    form = load_form("judge_labels")
    assert value_keys(form.field("completeness")) == {"0": 0, "1": 1, "2": 2, "-": "na"}
    assert value_keys(form.field("hallucination")) == {"0": 0, "1": 1}
    preference = load_form("preference").field("overall")
    assert value_keys(preference) == {"1": -2, "2": -1, "3": 0, "4": 1, "5": 2}


@pytest.mark.parametrize(("typed", "value"), [("1", 1), ("１", 1), ("－", "na"), ("2", None)])
def test_full_width_keys_count(typed, value):
    assert value_of_key(load_form("judge_labels").field("numerical_accuracy"), typed) == value


def test_the_five_checks_have_their_letters():
    assert focus_keys(load_form("inspection")) == {
        "t": "task",
        "o": "topic",
        "q": "question",
        "a": "answer",
        "p": "passages",
    }


GOLD = ItemContent((Turn("多少？", ("12.5亿元",)), Turn("And then?", ("more",))))


@pytest.mark.parametrize(
    ("turn", "retrieves", "left_out"),
    [
        (0, True, ()),
        (0, False, ("hallucination", "utilization")),
        (1, True, ("numerical_accuracy",)),
    ],
)
def test_fields_are_asked_where_they_apply(turn, retrieves, left_out):
    facts = prediction_facts(GOLD, turn, has_retrieved=retrieves)
    assert fields_not_applicable(load_form("judge_labels"), facts) == left_out


def test_an_item_is_known_by_all_its_turns():
    assert revision_facts(GOLD) == {"golden_answer", "golden_number", "history"}
    assert revision_facts(ItemContent((Turn("?"),))) == set()


FULL = {
    "accuracy": 2,
    "completeness": "na",
    "hallucination": 0,
    "utilization": 1,
    "numerical_accuracy": "na",
}


def test_a_subject_is_complete_when_all_that_applies_has_a_value():
    form = load_form("judge_labels")
    assert is_complete(form, FULL, frozenset())
    for field in FULL:
        rest = {key: value for key, value in FULL.items() if key != field}
        assert not is_complete(form, rest, frozenset())
        assert is_complete(form, rest, frozenset({field}))


def test_a_field_can_be_required_by_a_value():
    form = load_form("reasonable")
    assert is_complete(form, {"verdict": "reasonable"}, frozenset())
    assert not is_complete(form, {"verdict": "refine"}, frozenset())
    assert is_complete(form, {"verdict": "refine", "refinement": 3}, frozenset())


@pytest.mark.parametrize(
    ("form", "values", "warned"),
    [
        ("judge_labels", {"accuracy": 2, "numerical_accuracy": 0}, ["right_with_wrong_number"]),
        ("judge_labels", {"accuracy": 2, "hallucination": 1}, ["right_with_hallucination"]),
        ("judge_labels", {"accuracy": 2, "numerical_accuracy": "na"}, []),
        ("inspection", {"score": 5, "answer": 0}, ["good_without_answer"]),
        ("inspection", {"score": 3, "answer": 0}, []),
        ("preference", {"overall": 1, "correctness": -1, "completeness": 0}, []),
    ],
)
def test_contradictions_are_warned_of(form, values, warned):
    assert [warning.key for warning in warnings_for(load_form(form), values)] == warned


def change(form: dict, path: str, value: object) -> dict:
    *parents, last = path.split(".")
    place = form
    for step in parents:
        place = place[int(step) if isinstance(place, list) else step]
    place[int(last) if isinstance(place, list) else last] = value
    return form


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("colour", "red", "unknown field `colour`"),
        ("subject_kind", "item", "Invalid enum value 'item'"),
        ("fields.0.kind", "number", "Invalid enum value 'number'"),
        ("key", " ", "needs a key"),
        ("fields.0.key", "topic", "field 'topic' stands there 2 times"),
        ("fields.0.key", "a/b", "needs a key without /"),
        ("fields.0.zh", "", "label in both languages"),
        ("fields.0.choices", [], "it needs them"),
        ("fields.6.choices", [{"value": 1, "zh": "一", "en": "one"}], "choices belong to"),
        ("fields.5.choices.0.value", "bad", "whole numbers"),
        ("fields.5.choices.0.value", 2, "value of field 'score' '2' stands there 2 times"),
        ("fields.5.choices.0.key", "2", "key of field 'score' '2'"),
        ("fields.5.choices.0.key", "12", "one key"),
        ("fields.1.shortcut", "t", "shortcut 't' stands there 2 times"),
        ("fields.1.shortcut", "7", "no digit"),
        ("complete", [], "nothing would ever be done"),
        ("complete.0.field", "grade", "names a field 'grade'"),
        ("warnings.0.when.0.values", [6], "cannot be"),
        ("warnings.0.when.0.field", "grade", "names a field 'grade'"),
        ("warnings.0.when", [], "has no condition"),
        ("decision.correction", "answer", "no field of kind revision"),
        ("decision.accept", [4, 5, 1], "decided value '1' stands there 2 times"),
        ("subject_kind", "prediction", "only a form about revisions"),
        ("exclude_reasons.1.value", "broken", "exclude reason 'broken'"),
    ],
)
def test_an_unsound_form_is_refused(path, value, message):
    data = json.dumps(change(shipped("inspection"), path, value)).encode()
    with pytest.raises(InputError, match=message):
        parse_form(data, "mine.json")


def test_a_form_comes_back_from_its_json():
    for key in shipped_forms():
        form = load_form(key)
        assert parse_form(msgspec.json.encode(form), key) == form
