"""The fields of the tables of `ragdesk.toml`, as their structs declare them, and texts for values.

A struct that describes a table says of each field what it is for, by `about`; a form shows that,
with the default and the values that there are.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Meta, Struct, inspect

from engine.settings.file import Table, toml_text
from store.errors import InputError

Written = Literal["text", "value", "names", "stages", "command"]
"""How a text stands for a value: as it is; as TOML, or as it is where it is none; names or values
apart by spaces; stages apart by `>`, each with its options; a program with its arguments."""

Choices = Mapping[str, Sequence[tuple[str, str]]]
"""What exists, with a description each, by what a field refers to."""


class Field(Struct, frozen=True):
    path: tuple[str, ...]
    """Its key; two for one of a table within the table."""
    about: str
    written: Written
    default: str
    """What holds where nothing is written; empty where that is nothing."""
    is_needed: bool
    choices: tuple[tuple[str, str], ...]
    """Values with a description each; others may be right, too."""
    example: str
    """A right value for a field without which no other can be checked; empty for other fields."""

    @property
    def key(self) -> str:
        return ".".join(self.path)

    @property
    def takes_several(self) -> bool:
        return self.written in ("names", "stages")


class Variant(Struct, frozen=True):
    """A form that a kind of table may have."""

    name: str
    about: str
    struct: type[Struct]
    fixed: Mapping[str, Any] = {}
    """What tells it from the other variants, and is no field of its form."""
    without: frozenset[str] = frozenset()
    """Fields of the struct that do not go with it."""
    marked_by: str = ""
    """A field that tables of this variant alone have; empty for none."""

    def holds(self, table: Table) -> bool:
        """Whether a table can be of this variant."""
        is_marked = not self.marked_by or self.marked_by in table
        return is_marked and all(table.get(key) == value for key, value in self.fixed.items())


def about(text: str, of: str = "", *, written: str = "", example: str = "") -> Meta:
    """Describes a field of a table in one line; `of` says what it refers to, as `providers`."""
    extra = {"of": of, "written": written, "example": example}
    return Meta(description=text, extra={key: value for key, value in extra.items() if value})


def variant_of(variants: Sequence[Variant], table: Table) -> Variant:
    """The variant that a table has: the one with most in common of those that it can be."""
    fitting = [one for one in variants if one.holds(table)]
    return max(fitting or variants, key=lambda one: len(one.fixed) + bool(one.marked_by))


def fields_of(variant: Variant, choices: Choices) -> list[Field]:
    """The fields of the variant that are described, in the order of its struct."""
    return [
        field
        for field in _fields(variant.struct, choices)
        if field.path[0] not in variant.fixed and field.path[0] not in variant.without
    ]


def _fields(struct: type[Struct], choices: Choices) -> Iterator[Field]:
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    for field in info.fields:
        inner = _struct_in(field.type)
        described = _described(field.type)
        if inner is None and described:
            yield _field(field, choices)
        elif inner is not None:
            for number, one in enumerate(_fields(inner, choices)):
                if described:  # says what holds as long as no inner field is given
                    text = f"{one.about}; {described}" if not number else one.about
                    one = msgspec.structs.replace(one, about=text, default="")
                path = (field.name, *one.path)
                yield msgspec.structs.replace(one, path=path, is_needed=False)


def _described(type: inspect.Type) -> str:
    if not isinstance(type, inspect.Metadata):
        return ""
    return str((type.extra_json_schema or {}).get("description", ""))


def _field(field: inspect.Field, choices: Choices) -> Field:
    assert isinstance(field.type, inspect.Metadata)
    extra = field.type.extra or {}
    literals = tuple((str(value), "") for value in _literals(field.type))
    have = tuple(choices.get(extra.get("of", ""), ())) or literals
    example = extra.get("example", "")
    if (field.required or extra.get("needed")) and not example:
        example = have[0][0] if have else "1"
    return Field(
        (field.name,),
        _described(field.type),
        extra.get("written") or _written(field.type),
        _default(field),
        bool(example) and field.default is not None,
        have,
        example,
    )


def _struct_in(type: inspect.Type) -> type[Struct] | None:
    """The struct of a field that holds a table, or may."""
    for one in _parts(type):
        if isinstance(one, inspect.StructType):
            return one.cls
    return None


def _parts(type: inspect.Type) -> tuple[inspect.Type, ...]:
    if isinstance(type, inspect.Metadata):
        return _parts(type.type)
    return type.types if isinstance(type, inspect.UnionType) else (type,)


def _literals(type: inspect.Type) -> Iterator[str]:
    for one in _parts(type):
        if isinstance(one, inspect.LiteralType):
            yield from (str(value) for value in one.values if isinstance(value, str))
        if isinstance(one, inspect.EnumType):
            yield from (str(member.value) for member in one.cls)
        if isinstance(one, inspect.BoolType):
            yield from ("true", "false")


def _written(type: inspect.Type) -> Written:
    parts = [one for one in _parts(type) if not isinstance(one, inspect.NoneType)]
    if any(isinstance(one, inspect.ListType | inspect.VarTupleType) for one in parts):
        return "names"
    return "text" if all(map(_is_text, parts)) else "value"


def _is_text(type: inspect.Type) -> bool:
    if isinstance(type, inspect.LiteralType):
        return all(isinstance(value, str) for value in type.values)
    return isinstance(type, inspect.StrType | inspect.EnumType)


def _default(field: inspect.Field) -> str:
    if field.required or field.default in (msgspec.NODEFAULT, None, "", ()):
        return ""
    if isinstance(field.default, tuple):
        return " ".join(map(str, field.default))
    if isinstance(field.default, str):
        return str.__str__(field.default)  # of an enumeration, its value
    return f"{field.default:g}" if isinstance(field.default, float) else toml_text(field.default)


# Values and texts


def text_of(field: Field, table: Table) -> str:
    """The text for the value that a table has; empty where it has none."""
    value: Any = table
    for key in field.path:
        value = value.get(key) if isinstance(value, dict) else None
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if field.written == "command" and isinstance(value, list):
        return shlex.join(map(str, value))
    if field.written == "names" and isinstance(value, list):
        return " ".join(map(_word, value))
    if field.written == "stages" and isinstance(value, list):
        return " > ".join(map(_stage_text, value))
    return toml_text(value)


def with_text(table: Table, field: Field, text: str) -> Table:
    """The table with the value that a text stands for; without the field where it is empty.

    Raises InputError for a text that cannot be read.
    """
    key, *inner = field.path
    if inner:
        held = table.get(key)
        old = dict(held) if isinstance(held, dict) else {}
        changed = with_text(old, msgspec.structs.replace(field, path=tuple(inner)), text)
        return {**table, key: changed} if changed else _without(table, key)
    return {**table, key: _value(field, text.strip())} if text.strip() else _without(table, key)


def with_examples(table: Table, fields: Sequence[Field]) -> Table:
    """The table with examples where nothing is written yet of what the other fields rest on."""
    for field in fields:
        # a table within the table needs its fields once it has one of them
        is_there = len(field.path) == 1 or field.path[0] in table
        if field.example and is_there and not text_of(field, table):
            table = with_text(table, field, field.example)
    return table


def stage_text(name: str, options: type[Struct]) -> str:
    """A stage as a form proposes it: with its options, those without a default to be filled in."""
    info = inspect.type_info(options)
    assert isinstance(info, inspect.StructType)
    words = []
    for field in info.fields:
        literals = [*_literals(field.type), ""]
        words.append(f"{field.name}={literals[0] if field.required else _word(field.default)}")
    return " ".join([name, *words])


def _value(field: Field, text: str) -> Any:
    if field.written == "text":
        return text
    if field.written == "stages":
        return [_stage(field, one) for one in text.split(">")]
    if field.written == "names":
        return [_parsed(word) for word in text.replace(",", " ").split()]
    if field.written == "command":
        try:
            return shlex.split(text)
        except ValueError as error:
            raise InputError(f"{field.key}: {error}.", "Close what is quoted.") from error
    return _parsed(text)


def _parsed(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _stage(field: Field, text: str) -> str | Table:
    name, *words = text.split() or [""]
    options: Table = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise InputError(
                f"{field.key}: {word!r} behind {name!r} is no option.", "Write OPTION=VALUE."
            )
        options[key] = _parsed(value)
    return {"stage": name, **options} if options else name


def _stage_text(stage: Any) -> str:
    if not isinstance(stage, dict):
        return str(stage)
    options = [f"{key}={_word(value)}" for key, value in stage.items() if key != "stage"]
    return " ".join([str(stage.get("stage", "")), *options])


def _word(value: Any) -> str:
    """A value of a list as one word."""
    if isinstance(value, str) and _parsed(value) == value:
        return value
    return toml_text(value)


def _without(table: Table, key: str) -> Table:
    return {name: value for name, value in table.items() if name != key}
