"""Retrievers are found by name, without importing what they need."""

from __future__ import annotations

import subprocess
import sys

import pytest

from engine.retrieve.names import retriever_entry
from store.errors import UsageError


@pytest.mark.parametrize("name", ["bm25", "bm25-okapi", "lsa"])
def test_every_entry_builds_the_kind_of_its_name(name):
    entry = retriever_entry(name)
    assert entry.name == entry.kind().name == name
    assert entry.baseline


def test_an_unknown_name_is_answered_with_the_names():
    with pytest.raises(UsageError, match=r"'bm52'.*bm25, bm25-okapi, lsa"):
        retriever_entry("bm52")


def test_the_names_cost_no_heavy_import():
    code = "import sys, engine.retrieve.names; print(sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    for heavy in ("numpy", "scipy", "sklearn", "faiss", "bm25s", "rjieba", "jieba"):
        assert f"'{heavy}'" not in loaded
