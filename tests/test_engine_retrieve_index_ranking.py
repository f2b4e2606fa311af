"""The best rows, and which of equal rows come first."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.retrieve.index.base import IndexColumns
from engine.retrieve.index.ranking import ChunkTable, top_rows
from store.records import Hit


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 0.5, 2.0]), max_size=30), st.integers(1, 12))
def test_the_highest_scores_come_first_and_equal_ones_keep_row_order(values, k):
    rows = top_rows(np.array(values), np.arange(len(values)), k)
    expected = sorted(range(len(values)), key=lambda row: (-values[row], row))[:k]
    assert rows.tolist() == expected


def test_only_candidates_are_ranked():
    scores = np.array([5.0, 1.0, 4.0, 3.0])
    assert top_rows(scores, np.array([1, 3]), 3).tolist() == [3, 1]


def test_the_chunk_table_gives_back_ids_and_spans(tmp_path):
    columns = IndexColumns(["doc-1", "文档二"], [0, 2**40], [7, 2**40 + 1], ["", ""])
    ChunkTable.write(tmp_path, columns)
    table = ChunkTable.read(tmp_path)
    assert len(table) == 2
    assert table.hits(np.array([1, 0]), np.array([0.5, 0.25], dtype=np.float32)) == [
        Hit("文档二", 2**40, 2**40 + 1, 0.5),
        Hit("doc-1", 0, 7, 0.25),
    ]
