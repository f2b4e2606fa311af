"""A trec run is ranked as trec_eval ranks it, whatever its lines and rank column say."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytrec_eval

from store.errors import InputError
from store.formats.trec import read_run

RUN = """\
q1 Q0 low 1 1.0 mine
q1 Q0 high 2 3e0 mine
q2\tQ0\t文\t1\t0.5\tmine

q1 Q0 tie-b 3 2.0000000001 mine
q1 Q0 tie-c 4 2.0 mine
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "run.trec"
    file.write_text(text, "utf-8")
    return file


def test_documents_fall_by_score_and_ties_by_id_in_single_precision(tmp_path: Path):
    first, second = read_run(write(tmp_path, RUN))
    assert (first.id, first.line, second.id, second.line) == ("q1", 1, "q2", 3)
    assert [hit.document for hit in first.hits] == ["high", "tie-c", "tie-b", "low"]
    assert [hit.document for hit in second.hits] == ["文"]


def test_the_order_is_that_of_trec_eval(tmp_path: Path):
    first = read_run(write(tmp_path, RUN))[0]
    run = {"q1": {hit.document: hit.score for hit in first.hits}}
    for rank, hit in enumerate(first.hits, 1):
        judged = {"q1": {hit.document: 1}}
        found = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(run)
        assert found["q1"]["recip_rank"] == pytest.approx(1 / rank)


def test_scores_beyond_single_precision_are_ranked_first_and_last(tmp_path: Path):
    text = "q 0 a 1 1 t\nq 0 b 1 1e300 t\nq 0 c 1 -1e300 t\nq 0 d 1 -inf t\n"
    (query,) = read_run(write(tmp_path, text))
    assert [hit.document for hit in query.hits] == ["b", "a", "d", "c"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("q Q0 a 1 1.0\n", "found 5 fields"),
        ("q Q0 a 1 high t\n", "'high' is not a number"),
        ("q Q0 a 1 nan t\n", "'nan' is not a number"),
        ("\nq Q0 a 1 1 t\nq Q0 a 2 0 t\n", "line 3: query 'q' has document 'a' twice"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, text: str, said: str):
    with pytest.raises(InputError) as refusal:
        read_run(write(tmp_path, text))
    assert said in str(refusal.value)
    assert "line" in str(refusal.value)


def test_a_missing_file_and_another_encoding_are_said_in_one_sentence(tmp_path: Path):
    with pytest.raises(InputError, match="cannot be read"):
        read_run(tmp_path / "none")
    (tmp_path / "gb").write_bytes("q Q0 文 1 1 t".encode("gb18030"))
    with pytest.raises(InputError, match="not UTF-8"):
        read_run(tmp_path / "gb")
