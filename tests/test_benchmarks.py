"""Every benchmark runs to its end and says its ratios; how large they are is not asked here."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from process_template import real_python

ROOT = Path(__file__).parents[1]
NAMES = ("bm25_query", "matrix_scale", "rouge")
LONG = (
    "dense_search",
    "first_paint",
    "list_keys",
    "scripted_rater",
    "segmentation",
    "store_rows",
    "sweep",
    "terminal_bytes",
)
"""They take their time; what the app may cost is also asked where the driver and the desk are."""


@cache
def output(name):
    """What a benchmark of a tiny size prints; it is run once."""
    argv = [sys.executable, "-m", f"benchmarks.{name}", "--quick"]
    # what a benchmark starts and measures is started as a person starts it
    with real_python():
        done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "name", [*NAMES, *(pytest.param(name, marks=pytest.mark.slow) for name in LONG)]
)
def test_a_benchmark_prints_its_ratios(name):
    assert re.search(r"\d\.\d\d x .*[<>]= [\d.]+: (met|MISSED)", output(name))


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("bm25_query", "top 10 of bm25-okapi other than rank_bm25's: 0 of"),
        ("rouge", "values other than rouge-chinese's: 0 of"),
    ],
)
def test_what_is_compared_gives_equal_results(name, line):
    """Speed is compared of equal results only."""
    assert line in output(name)


@pytest.mark.parametrize("name", [*NAMES, *LONG])
def test_every_benchmark_is_described(name):
    assert f"`{name}`" in (ROOT / "docs" / "benchmarks.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trust", "trust_laws", "trust_drawing", "trust_stopping"])
def test_a_simulation_prints_its_table(name):
    assert "|---|" in output(name)
