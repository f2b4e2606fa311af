"""Which changes of the program end the reuse of answers and scores, and which do not."""

from __future__ import annotations

import ast
import os
import shutil
import sys
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from stored_work import KEY_VARIABLE, change, unpack
from worker_here import work_here

from engine.evaluate import scoring_code as code
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.scoring_code import computing_sources, scoring_code
from engine.jobs.operation import queue
from store.workspace import open_workspace

ROOT = Path(__file__).parents[1]
SCORED_BY_0_1_0 = "f21285f4ca5d15e3"
"""The code that scored the stored work of version 0.1.0."""
CARRYING = {
    "aiohttp": "carries requests",
    "httpx2": "carries requests",
    "openai": "carries requests",
    "msgspec": "encodes and decodes",
    "threadpoolctl": "says how many threads compute",
}
NEURAL = {"huggingface_hub", "safetensors", "sentence_transformers", "torch", "transformers"}
DISTRIBUTIONS = {"faiss": "faiss-cpu", "sklearn": "scikit-learn"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the program."""
    for package in ("engine", "store"):
        shutil.copytree(
            ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__")
        )
    return tmp_path


def test_a_copy_of_the_program_is_the_same_code(tree: Path) -> None:
    assert scoring_code(tree) == scoring_code()


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("engine/metrics/text.py", True),
        ("engine/metrics/evidence.py", True),
        ("engine/judge/rules/golden.py", True),
        ("engine/judge/rules/word_lists.txt", True),
        ("engine/text/numbers/word_lists.txt", True),
        ("engine/text/content_words.py", True),
        ("engine/retrieve/fusion.py", True),
        ("engine/retrieve/index/okapi.py", True),
        ("engine/retrieve/neural/cross_encoder.py", True),
        ("engine/answer/prompt.py", True),
        ("engine/answer/history.py", True),
        ("engine/answer/offline/computing.py", True),
        ("engine/prompts/history.py", True),
        ("engine/models/wire.py", True),
        ("store/records.py", True),
        ("store/systems.py", True),
        ("engine/doctor/workspace.py", False),
        ("engine/generate/replies.py", False),
        ("engine/report/colours.py", False),
        ("engine/judge/model/asking.py", False),
        ("engine/jobs/worker.py", False),
        ("store/migrations/__init__.py", False),
        ("store/labels/log/log.py", False),
    ],
)
def test_what_answers_and_scores_rest_on_counts_and_nothing_else(
    tree: Path, file: str, counts: bool
) -> None:
    with (tree / file).open("a", encoding="utf-8") as source:
        source.write("\n# changed\n")
    assert (scoring_code(tree) != scoring_code()) is counts


def test_a_new_module_counts_once_it_is_imported(tree: Path) -> None:
    (tree / "engine/metrics/extra.py").write_text("SHARE = 0.5\n")
    assert scoring_code(tree) == scoring_code()
    scoring_code.cache_clear()
    with (tree / "engine/metrics/text.py").open("a") as source:
        source.write("\n\ndef share():\n    from engine.metrics import extra\n    return extra\n")
    assert "engine.metrics.extra" in computing_sources(tree)
    assert scoring_code(tree) != scoring_code()


def test_every_import_that_the_syntax_shows_is_followed() -> None:
    sources = computing_sources(ROOT)
    assert set(code.ENTRIES) <= set(sources)
    for source in sources.values():
        for node in ast.walk(ast.parse(source)):
            names = []
            if isinstance(node, ast.ImportFrom):
                assert node.module is not None
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                path = ROOT.joinpath(*name.split("."))
                if path.with_suffix(".py").is_file() or (path / "__init__.py").is_file():
                    assert name in sources or name.startswith(code.NOT_FOLLOWED)


def test_every_package_that_computes_counts() -> None:
    roots = {
        name.partition(".")[0]
        for source in computing_sources(ROOT).values()
        for node in ast.walk(ast.parse(source))
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else []
        )
    }
    foreign = roots - set(sys.stdlib_module_names) - {"engine", "store"} - NEURAL - set(CARRYING)
    assert {DISTRIBUTIONS.get(name, name) for name in foreign} == set(code.PACKAGES)


def test_it_is_known_at_once() -> None:
    # in seconds of the processor, which do not grow with what else the machine does
    taken = []
    for _ in range(10):
        begin = time.process_time()
        computing_sources(ROOT)
        taken.append(time.process_time() - begin)
    assert min(taken) < 0.1


@pytest.mark.parametrize("is_equal", [True, False])
def test_an_equal_run_takes_what_was_scored_by_code_that_is_declared_equal(
    tmp_path: Path, is_equal: bool
) -> None:
    folder = unpack(tmp_path, "workspace", "indexes") / "workspace"
    change(
        folder,
        "UPDATE job SET state = 'cancelled', claimed_by = NULL, lease_until = NULL,"
        " pause_reason = NULL WHERE state <> 'done'",
    )
    environ = {KEY_VARIABLE: "sk-stored-0123456789abcdefghij"}
    with open_workspace(folder) as workspace, patch.dict(os.environ, environ):
        queue(workspace, Evaluate(NewRun("bm25-model", "gold", name="again")))
    equal = {scoring_code(): (SCORED_BY_0_1_0,)} if is_equal else {}
    with patch.object(code, "EQUAL_CODES", equal):
        work_here(folder, environ)
    with open_workspace(folder) as workspace:
        scored = workspace.db.execute(
            "SELECT DISTINCT json_extract(value, '$.code') FROM stage_result"
            " JOIN prediction ON prediction.id = prediction_id JOIN run ON run.id = run_id"
            " WHERE stage = 'score' AND run.name = 'again'"
        ).fetchall()
    assert scored == [(SCORED_BY_0_1_0 if is_equal else scoring_code(),)]
