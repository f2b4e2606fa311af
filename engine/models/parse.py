"""Extracts JSON from a model's reply: lenient about its wrapping, strict about its content.

Taken as meant: text around the value, code fences, a reasoning section before it. Mended, and
reported as repaired: trailing commas, full-width punctuation between values, raw line breaks in
strings, and a list that breaks off, whose whole elements are kept. Never guessed: a value that
broke off, a missing bracket elsewhere, which of several different values was meant, which of two
values of one key. Such a reply has no value and a problem.
"""

from __future__ import annotations

import json
import re
from typing import Any, Literal

from msgspec import Struct

_FENCE = re.compile(r"```[A-Za-z0-9_+-]*[ \t]*\n?(.*?)```", re.DOTALL)
_REASONING = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_MOST_STRETCHES = 64
"""Bracketed stretches looked at; a reply of more is not an answer in JSON."""
_OPENING = {"{": "}", "[": "]"}
_FULL_WIDTH = {"，": ",", "：": ":"}


class Parsed(Struct, frozen=True):
    """A value read from a reply, or null with the problem; `null` itself counts as no value.

    `repaired` says that the JSON was mended; text around it is no repair. A repaired value has a
    problem too: what was mended.
    """

    value: Any = None
    repaired: bool = False
    problem: str = ""
    cut: bool = False
    """Whether the value is what is whole of a list that breaks off."""


Expected = Literal["object", "list"]


def parse_json(text: str, expect: Expected | None = None) -> Parsed:
    """The one JSON object or list in `text`; with `expect`, the one of that kind.

    A reply that is nothing but a bare JSON value (`1`, `"yes"`) is that value, unless `expect`
    asks for an object or list.
    """
    body = _REASONING.sub("", text).strip()
    if not body:
        return Parsed(problem="the reply is empty")
    parsed = _load(body)
    if parsed.value is not None and _fits(parsed.value, expect):
        return parsed
    fenced = "\n".join(fence.strip() for fence in _FENCE.findall(body))
    for place in (fenced, body):
        chosen = _choose(place, expect)
        if chosen is not None:
            return chosen
    return Parsed(problem=f"the reply holds no JSON {expect or 'value'}")


def _fits(value: Any, expect: Expected | None) -> bool:
    return expect is None or isinstance(value, dict if expect == "object" else list)


def _choose(text: str, expect: Expected | None) -> Parsed | None:
    """The value among the bracketed stretches of `text`; None when there are none."""
    stretches = _stretches(text, {"object": "{", "list": "["}.get(expect or "", "{["))
    if len(stretches) == _MOST_STRETCHES:
        return Parsed(problem="the reply holds too many brackets to choose from")
    parsed = [_load(s.text) if s.closed else _load_cut(s) for s in stretches]
    if not parsed or (not stretches[-1].closed and parsed[-1].value is None):
        return parsed[-1] if parsed else None
    good = [candidate for candidate in parsed if candidate.value is not None]
    # a remark in brackets is not JSON; but what nothing else stands for is the problem
    if not good:
        return parsed[-1]
    if any(candidate.value != good[0].value for candidate in good):
        return Parsed(problem=f"the reply holds {len(good)} different JSON values")
    return good[0]


class _Stretch(Struct, frozen=True):
    """Text from an opening bracket to its closing bracket, or to the end."""

    text: str
    closed: bool
    kept: str = ""
    """Of a stretch that breaks off: its outermost open list with whole elements only, closed."""


def _stretches(text: str, opening: str) -> list[_Stretch]:
    stretches: list[_Stretch] = []
    at = 0
    while (
        len(stretches) < _MOST_STRETCHES and (start := _next_opening(text, at, opening)) is not None
    ):
        stretch = _stretch(text, start)
        stretches.append(stretch)
        # within a stretch that is no JSON, as `{see [1]}`, another may begin
        is_remark = stretch.closed and _load(stretch.text).value is None
        at = start + (1 if is_remark else len(stretch.text))
    return stretches


def _next_opening(text: str, at: int, opening: str) -> int | None:
    places = [place for bracket in opening if (place := text.find(bracket, at)) >= 0]
    return min(places, default=None)


def _stretch(text: str, start: int) -> _Stretch:
    stack: list[str] = []
    ends: list[int] = []  # per open bracket: where its last whole element ends, or -1
    in_string = escaped = False
    for at in range(start, len(text)):
        character = text[at]
        if in_string:
            in_string, escaped = _within_string(character, escaped)
        elif character == '"':
            in_string = True
        elif character in _OPENING:
            stack.append(_OPENING[character])
            ends.append(-1)
        elif stack and character == stack[-1]:
            stack.pop()
            ends.pop()
            if not stack:
                return _Stretch(text[start : at + 1], closed=True)
            ends[-1] = at + 1 - start
        elif character in ",，":
            ends[-1] = at - start
    return _Stretch(text[start:], closed=False, kept=_kept(text[start:], stack, ends))


def _kept(text: str, stack: list[str], ends: list[int]) -> str:
    for depth, (closing, end) in enumerate(zip(stack, ends, strict=True)):
        if closing == "]":
            return text[:end] + "".join(reversed(stack[: depth + 1])) if end > 0 else ""
    return ""


def _within_string(character: str, escaped: bool) -> tuple[bool, bool]:
    if escaped:
        return True, False
    return character != '"', character == "\\"


def _load_cut(stretch: _Stretch) -> Parsed:
    if stretch.kept:
        loaded = _load(stretch.kept)
        if loaded.value is not None:
            return Parsed(loaded.value, True, "the reply breaks off; whole elements are kept", True)
    return Parsed(problem="the reply ends in the middle of its JSON")


def _load(text: str) -> Parsed:
    try:
        return _valued(_strict(text))
    except json.JSONDecodeError as error:
        problem = f"invalid JSON: {error.msg} at character {error.pos}"
    except _Ambiguous as error:
        return Parsed(problem=str(error))
    except RecursionError:
        return Parsed(problem="the JSON is nested too deeply")
    mended = _mend(text)
    try:
        return Parsed(_strict(mended, strict=False), True, f"mended {problem}")
    except json.JSONDecodeError:
        return Parsed(problem=problem)
    except _Ambiguous as error:
        return Parsed(problem=str(error))


def _valued(value: Any) -> Parsed:
    return Parsed(value, problem="the JSON is null" if value is None else "")


class _Ambiguous(ValueError):
    pass


def _strict(text: str, *, strict: bool = True) -> Any:
    return json.loads(
        text, strict=strict, parse_constant=_refuse_constant, object_pairs_hook=_unambiguous
    )


def _refuse_constant(name: str) -> Any:
    raise _Ambiguous(f"{name} is no JSON value")


def _unambiguous(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for key, value in pairs:
        if key in members and members[key] != value:
            raise _Ambiguous(f"the key {key!r} has two values")
        members[key] = value
    return members


def _mend(text: str) -> str:
    """`text` without trailing commas and with ASCII punctuation between values."""
    kept: list[str] = []
    in_string = escaped = False
    for character in text:
        if in_string:
            in_string, escaped = _within_string(character, escaped)
        elif character == '"':
            in_string = True
        else:
            character = _FULL_WIDTH.get(character, character)
            if character in "]}":
                _drop_comma(kept)
        kept.append(character)
    return "".join(kept)


def _drop_comma(kept: list[str]) -> None:
    last = len(kept) - 1
    while last >= 0 and kept[last].isspace():
        last -= 1
    if last >= 0 and kept[last] == ",":
        del kept[last]
