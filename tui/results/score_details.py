"""What a judge counted a score from, as lines: claims with their verdicts, questions, answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.text.wrapping import wrap
from tui.language import later, read, tr
from tui.widgets.line import Piece

_STEP = 2
_LEAST_WIDTH = 10
WORDED = {later("by_answer"), later("by_golden_answer"), "questions_from", "stand_in"}
"""Members with one of a few words."""
RANKED = (later("entailed_by_passages"), later("contradicted_by_passages"))
"""Members with ranks, whose names the judge of claims makes of parts."""


def merged(details: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """What a judge tells of several scores in one, where it tells of the same things: lists of the
    same texts become one list. None where two of them contradict each other."""
    whole: dict[str, Any] = {}
    for members in details:
        for name, value in members.items():
            joined = _joined(whole[name], value) if name in whole else value
            if joined is None and value is not None:
                return None
            whole[name] = joined
    return whole


def _joined(one: Any, other: Any) -> Any:
    """Both in one: equal values, or lists of objects about the same texts; else None."""
    if one == other:
        return one
    if not isinstance(one, list) or not isinstance(other, list) or len(one) != len(other):
        return None
    pairs = list(zip(one, other, strict=True))
    if all(isinstance(a, dict) and isinstance(b, dict) for a, b in pairs) and all(
        "text" in a and all(b[name] == a[name] for name in a.keys() & b.keys()) for a, b in pairs
    ):
        return [{**a, **b} for a, b in pairs]
    return None


def detail_lines(details: Mapping[str, Any], width: int, indent: int = 0) -> list[list[Piece]]:
    """Lines of at most `width` cells, or of a few where that is very narrow.

    A list of objects is numbered: the `text` of each, and below it the other members in one line.
    """
    lines: list[list[Piece]] = []
    for depth, text, role in _parts(details, 0):
        start = indent + depth * _STEP
        for begin, end in wrap(text, max(width - start, _LEAST_WIDTH)) or [(0, 0)]:
            lines.append([(" " * start, ""), (text[begin:end], role)])
    return lines


def _parts(members: Mapping[str, Any], depth: int) -> Iterator[tuple[int, str, str]]:
    """Depth, text and role of each part."""
    for name, value in members.items():
        title = _name(name)
        if isinstance(value, list) and any(isinstance(one, dict) for one in value):
            yield depth, title, "header"
            for number, one in enumerate(value, 1):
                entry = one if isinstance(one, dict) else {"text": one}
                yield from _entry(number, entry, depth)
        elif isinstance(value, dict):
            yield depth, title, "header"
            yield from _parts(value, depth + 1)
        else:
            yield depth, f"{title}: {_value(name, value)}", "muted"


def _entry(number: int, entry: Mapping[str, Any], depth: int) -> Iterator[tuple[int, str, str]]:
    rest = {name: value for name, value in entry.items() if name != "text"}
    flat = [name for name, value in rest.items() if not _is_nested(value)]
    beside = "; ".join(f"{_name(name)} {_value(name, rest[name])}" for name in flat)
    text = f"{number} {_one_line(str(entry['text']))}" if "text" in entry else str(number)
    yield depth + 1, text, ""
    if beside:
        yield depth + 2, beside, "muted"
    yield from _parts({name: rest[name] for name in rest if name not in flat}, depth + 2)


def _name(name: str) -> str:
    return tr(_one_line(name)).replace("_", " ")


def _value(name: str, value: Any) -> str:
    text = _plain(value)
    return read(text) if name in WORDED else text


def _plain(value: Any) -> str:
    """A value as a person writes it, on one line."""
    if value is None or value == []:
        return tr("none")
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return _one_line(str(value))


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(one, dict | list) for one in value)
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
