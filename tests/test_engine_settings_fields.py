"""Fields of settings: described by their structs, and texts that stand for their values."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from msgspec import Struct

from engine.settings.fields import Variant, about, fields_of, text_of, variant_of, with_text
from store.errors import InputError


class Inner(Struct, frozen=True):
    rpm: Annotated[int, about("calls a minute")] = 5


class Table(Struct):
    kind: str
    name: Annotated[str, about("what it is called", "names", example="one")] = ""
    size: Annotated[int | None, about("of what")] = None
    ratio: Annotated[float, about("a share")] = 0.5
    way: Annotated[Literal["up", "down"], about("where to")] = "up"
    members: Annotated[tuple[str, ...], about("several")] = ("a", "b")
    stages: Annotated[list[str | dict[str, Any]], about("steps", written="stages")] = []
    command: Annotated[tuple[str, ...], about("a program", written="command")] = ()
    answer: Annotated[str | Literal[False], about("a pointer")] = "/answer"
    inner: Inner = Inner()
    hidden: int = 0


VARIANT = Variant("one", "", Table, {"kind": "k"})
FIELDS = {one.key: one for one in fields_of(VARIANT, {"names": [("one", "the first")]})}


def test_what_is_described_is_a_field_with_its_default_and_choices():
    assert list(FIELDS) == [
        "name",
        "size",
        "ratio",
        "way",
        "members",
        "stages",
        "command",
        "answer",
        "inner.rpm",
    ]
    assert FIELDS["name"].choices == (("one", "the first"),)
    assert FIELDS["name"].is_needed
    assert [choice for choice, _ in FIELDS["way"].choices] == ["down", "up"]
    defaults = [FIELDS[key].default for key in ("size", "ratio", "way", "members", "inner.rpm")]
    assert defaults == ["", "0.5", "up", "a b", "5"]


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("name", "12", "12"),
        ("size", "12", 12),
        ("size", "many", "many"),
        ("answer", "false", False),
        ("answer", "/text", "/text"),
        ("members", "a b", ["a", "b"]),
        ("stages", "rewriting", ["rewriting"]),
        (
            "stages",
            "hyde alpha=0.3 provider=p > best k=2",
            [{"stage": "hyde", "alpha": 0.3, "provider": "p"}, {"stage": "best", "k": 2}],
        ),
        ("command", "./rag --name 'two words'", ["./rag", "--name", "two words"]),
    ],
)
def test_a_text_stands_for_a_value_and_back(key, text, value):
    table = with_text({"kind": "k"}, FIELDS[key], text)
    assert table == {"kind": "k", key: value}
    assert text_of(FIELDS[key], table) == text


def test_a_field_of_an_inner_table_comes_and_goes_with_it():
    table = with_text({}, FIELDS["inner.rpm"], "7")
    assert table == {"inner": {"rpm": 7}}
    assert with_text(table, FIELDS["inner.rpm"], "") == {}


def test_a_word_behind_a_stage_that_is_no_option_is_refused():
    with pytest.raises(InputError, match="'3' behind 'best' is no option"):
        with_text({}, FIELDS["stages"], "best 3")


def test_a_table_has_the_variant_with_most_in_common():
    plain = Variant("plain", "", Table)
    assert variant_of((plain, VARIANT), {"kind": "k"}) is VARIANT
    assert variant_of((plain, VARIANT), {"kind": "other"}) is plain


def test_a_field_that_only_one_variant_has_tells_it_apart():
    marked = Variant("marked", "", Table, marked_by="size")
    plain = Variant("plain", "", Table)
    assert variant_of((plain, marked), {"size": 3}) is marked
    assert variant_of((plain, marked), {}) is plain
