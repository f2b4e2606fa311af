"""The files of OmniEval's authors: items, predictions, corpus and evaluation results.

An item file holds an item a line, or the list of a dialogue's turns. A prediction file is called
`GROUP - TOPIC - TASK.pred.jsonl`, and only its name says topic and task. Rows that share an `id`
are the turns of one conversation. A result file has one line for each prediction file, with a value
for each of its rows in their order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from store.errors import InputError
from store.formats.jsonl import read_jsonl

PREDICTIONS = ".pred.jsonl"
RESULTS = "evaluation_result_"
CORPUS = "corpus.jsonl"

CONVERSATION = "多轮对话能力"
"""Their name of the task whose items are dialogues."""

NOT_SCORED = -1.0
"""The authors' value both where a metric does not apply and where a reply was not understood."""


class Node(Struct, frozen=True):
    """A document: a line of `corpus.jsonl`, or a member of `retrieval_result`."""

    id: str | int
    title: str | None = None
    contents: str = ""

    @property
    def name(self) -> str:
        return str(self.id)


class ItemTurn(Struct, frozen=True):
    """A question, or one turn of a dialogue; a single text stands for a list of one."""

    question: str
    answer: str | list[str]
    relevant_passage: str | list[str]
    topic_name: str = ""
    task_name: str = ""
    relevant_node: str | list[str] = []
    evaluation: int | float | None = None
    """The authors' inspection: 0, 1, 2, or -1 where the inspector's reply was not understood."""
    thought_process: str | None = None
    though_process: str | None = None
    """The same; so one of their programs spells it."""

    @property
    def answers(self) -> tuple[str, ...]:
        return _texts(self.answer)

    @property
    def passages(self) -> tuple[str, ...]:
        return _texts(self.relevant_passage)

    @property
    def nodes(self) -> tuple[str, ...]:
        return _texts(self.relevant_node)

    @property
    def thought(self) -> str:
        return self.thought_process or self.though_process or ""


THOUGHT = "thought_process"
"""The facet that holds how an item's writer came to it, see `turn_facets`."""
EVALUATION = "evaluation"
"""The facet that holds what their inspector gave."""


def may_hold_items(file: Path) -> bool:
    """Whether the name of a file in a folder does not rule out that it holds items."""
    return (
        file.suffix == ".jsonl"
        and not file.name.endswith(PREDICTIONS)
        and not file.name.startswith(RESULTS)
        and file.name != CORPUS
    )


class ItemLine(Struct, frozen=True):
    """A line of an item file, unchanged."""

    turns: list[dict[str, Any]]
    """One of a single item; a dialogue may have none, as cleaning leaves some."""
    is_dialogue: bool


def read_items(file: Path) -> Iterator[tuple[int, ItemLine]]:
    """(line number, line) of an item file.

    Raises InputError naming file and line for what is neither an object nor a list of objects.
    """
    either: Any = dict[str, Any] | list[dict[str, Any]]
    for line, value in read_jsonl(file, either):
        is_dialogue = isinstance(value, list)
        yield line, ItemLine(value if is_dialogue else [value], is_dialogue)


def item_turn(place: str, value: dict[str, Any]) -> ItemTurn:
    """The typed turn. Raises InputError with the place and the field of a wrong type."""
    try:
        return msgspec.convert(value, ItemTurn)
    except msgspec.ValidationError as error:
        raise InputError(f"{place}: {error}.", "Mend that line and try again.") from error


def read_corpus(file: Path) -> Iterator[tuple[int, Node]]:
    """(line number, document) of `corpus.jsonl`."""
    yield from read_jsonl(file, Node)


class _Output(Struct, frozen=True):
    pred: str | None = None
    retrieval_result: list[Node] | None = None
    error: str = ""
    """Why there is no prediction, in exports of ours; theirs are texts always."""
    retrieval_unknown: bool = False
    """Whether the empty list stands for what nobody knows, in exports of ours."""

    @property
    def answer(self) -> str | None:
        return None if self.error else self.pred

    @property
    def retrieved(self) -> tuple[Node, ...] | None:
        if self.retrieval_result is None or self.retrieval_unknown:
            return None
        return tuple(self.retrieval_result)


class _Row(Struct, frozen=True):
    id: str | int
    question: str | list[str]
    output: _Output
    golden_answers: str | list[str] | None = None
    relevant_passage: str | list[str] | None = None
    relevant_node: str | list[str] | None = None


class PredictionRow(Struct, frozen=True):
    """One answer to a question or to one turn of a conversation."""

    line: int
    id: str
    question: str
    golden_answers: tuple[str, ...]
    passages: tuple[str, ...]
    nodes: tuple[str, ...]
    answer: str | None
    error: str
    """Why there is no answer, where that is known."""
    retrieved: tuple[Node, ...] | None
    """None in closed-book files, and where it is not known."""


class ResultBlock(Struct, frozen=True):
    """The values that a result file gives for one prediction file."""

    line: int
    file_name: str
    lists: dict[str, tuple[float, ...]]
    """By metric (`em f1 rouge1 rouge2 rougeL map mrr accuracy …`), a value for each row."""


def topic_and_task(file: Path) -> tuple[str, str] | None:
    """The topic's and the task's name in the name of a prediction file, or None."""
    parts = file.name.removesuffix(PREDICTIONS).split(" - ")
    return (parts[-2].strip(), parts[-1].strip()) if len(parts) >= 3 else None


def read_predictions(file: Path) -> list[PredictionRow]:
    """All rows of a prediction file; raises InputError naming file, line and field."""
    return [
        PredictionRow(
            line,
            str(row.id),
            # a conversation's question may be given with the earlier ones before it
            row.question if isinstance(row.question, str) else (row.question or [""])[-1],
            _texts(row.golden_answers),
            _texts(row.relevant_passage),
            _texts(row.relevant_node),
            row.output.answer,
            row.output.error,
            row.output.retrieved,
        )
        for line, row in read_jsonl(file, _Row)
    ]


class _Series(Struct, frozen=True):
    list: str


class _Block(Struct, frozen=True):
    retrieval_res_map: dict[str, _Series] | None = None
    generation_res_map: dict[str, _Series] | None = None


def read_results(file: Path) -> list[ResultBlock]:
    """The blocks of a result file, without the line of overall means, which follow from the rows.

    Raises InputError naming file, line and metric.
    """
    return [
        ResultBlock(line, name, _lists(f"{file}, line {line}", block))
        for line, row in read_jsonl(file, dict[str, msgspec.Raw])
        for name, raw in row.items()
        if name.endswith(PREDICTIONS)
        for block in [_block(f"{file}, line {line}", raw)]
    ]


def _block(place: str, raw: Any) -> _Block:
    try:
        return msgspec.json.decode(raw, type=_Block)
    except msgspec.DecodeError as error:
        raise InputError(f"{place}: {error}.", "Mend that line and try again.") from error


def _lists(place: str, block: _Block) -> dict[str, tuple[float, ...]]:
    lists: dict[str, tuple[float, ...]] = {}
    for name, series in {
        **(block.retrieval_res_map or {}),
        **(block.generation_res_map or {}),
    }.items():
        values = series.list.split(",") if series.list.strip() else []
        if name == "rouge":
            triples = [_triple(place, value) for value in values]
            for position, metric in enumerate(("rouge1", "rouge2", "rougeL")):
                lists[metric] = tuple(triple[position] for triple in triples)
        else:
            metric = name.lower() if name in ("MAP", "MRR") else name
            lists[metric] = tuple(_number(place, name, value) for value in values)
    return lists


_NUMBER = r"(-?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|nan))"
_TRIPLE = re.compile(rf"{_NUMBER}-{_NUMBER}-{_NUMBER}", re.IGNORECASE)
"""`r1-r2-rL`; a number may itself hold the separator, as in 1e-05."""


def _triple(place: str, text: str) -> tuple[float, float, float]:
    match = _TRIPLE.fullmatch(text.strip())
    if match is None:
        raise InputError(f"{place}: rouge: {text!r} is not of the form r1-r2-rL.")
    return float(match[1]), float(match[2]), float(match[3])


def _number(place: str, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError as error:
        raise InputError(f"{place}: {name}: {text!r} is not a number.") from error
    return NOT_SCORED if math.isnan(value) else value


def _texts(value: str | list[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(text for text in ([value] if isinstance(value, str) else value) if text.strip())
