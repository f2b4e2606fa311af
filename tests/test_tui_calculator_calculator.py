"""Queries that a process beside the app answers, and what comes back of them."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib import import_module

import msgspec
import pytest

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import Budget, decoded
from engine.jobs.start import QueueQuery
from engine.results.metric_query import MetricQuery
from engine.results.queries import ComparisonQuery, MatrixQuery, PairsQuery
from store.errors import RagdeskError
from store.workspace import Workspace
from tui.calculator.calculator import Calculator
from tui.calculator.protocol import Question, answer_type

MODULES = (
    "engine.calibration.queries",
    "engine.exporters.queries",
    "engine.jobs.start",
    "engine.labelling.queries",
    "engine.results.queries",
    "tui.building.queries",
    "tui.correction.queries",
    "tui.runs.queries",
)
QUERIES = [
    kind
    for module in MODULES
    for kind in vars(import_module(module)).values()
    if isinstance(kind, type) and kind.__module__ == module and hasattr(kind, "answer")
]


def test_the_calculator_gives_the_matrix_of_a_run(scored: Workspace) -> None:
    calculator = Calculator(scored.folder)
    try:
        found = calculator.ask(MatrixQuery("first", MetricQuery("f1")))
        assert found.matrix.total.n == 5
        assert found.matrix.total.summary.mean == 0.5
        with pytest.raises(RagdeskError, match="no run 'second'"):
            calculator.ask(MatrixQuery("second", MetricQuery("f1")))
    finally:
        calculator.close()


def test_preparing_the_process_does_not_wait_for_a_question(scored: Workspace) -> None:
    calculator = Calculator(scored.folder)
    with calculator._lock:  # as while an answer is computed
        preparing = threading.Thread(target=calculator.prepare, daemon=True)
        preparing.start()
        preparing.join(10)
        assert not preparing.is_alive()
    calculator.close()


def test_a_calculator_that_died_starts_again(scored: Workspace) -> None:
    calculator = Calculator(scored.folder)
    query = MatrixQuery("first", MetricQuery("f1"))
    try:
        calculator.ask(query)
        assert calculator._process is not None
        calculator._process.kill()
        calculator._process.wait()
        assert calculator.ask(query).matrix.total.n == 5
    finally:
        calculator.close()


def test_a_query_within_a_query_arrives_whole() -> None:
    query = PairsQuery(ComparisonQuery("a", "b", MetricQuery("f1", rows="lang")), "zh", None)
    question = msgspec.msgpack.decode(msgspec.msgpack.encode(Question.of(query)), type=Question)
    assert question.query() == query


def test_an_operation_within_a_query_arrives_whole() -> None:
    operation = Evaluate(NewRun("bm25", "gold", seed=4), budget=Budget(7))
    asked = Question.of(QueueQuery.of(operation))
    query = msgspec.msgpack.decode(msgspec.msgpack.encode(asked), type=Question).query()
    assert isinstance(query, QueueQuery)
    assert decoded(query.operation) == operation


@pytest.mark.parametrize("kind", QUERIES)
def test_every_query_names_a_type_that_its_answer_can_be_read_as(kind: type) -> None:
    msgspec.msgpack.Decoder(answer_type(kind))
    msgspec.msgpack.Decoder(kind)


def test_asking_imports_nothing_that_computes() -> None:
    code = (
        f"import sys\nfrom importlib import import_module\nfor one in {MODULES!r}:"
        " import_module(one)\nprint(sorted({'numpy', 'scipy', 'sklearn'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
