"""Corpus stages: what chunks are indexed by, kept as an artefact, with hits where they were."""

from __future__ import annotations

from pathlib import Path

import pytest
from endpoint_workspaces import queue, system_table, write_settings
from score_run import mean
from tiny_workspaces import make_release, put_text
from worker_here import work_here

from engine.evaluate.systems import find_system
from engine.retrieve import refined
from engine.retrieve.pipeline import open_retriever, open_texts
from engine.retrieve.refine.change import ChunkText
from engine.retrieve.refined import CORPUS_STAGES
from store.corpora import corpora
from store.errors import InputError
from store.hashing import text_id
from store.records import ChunkingSettings, Evidence, ItemContent, Turn
from store.systems import Retrieval, StageConfig
from store.workspace import open_workspace

REPORT = """# Annual report

Revenue is the sum of what was sold. Costs are listed below.

## Revenue

| year | revenue |
| 2023 | 12.5 |

Revenue rose because revenue of funds rose.

| year | costs |
| 2023 | 3.4 |
"""
CHINESE = "# 年报\n\n公司在本年度经营稳定。\n\n## 利率\n\n| 年份 | 利率 |\n| 2023 | 3.4% |\n"


def changed(stage: str, text: str, document: str = "", start: int = 0, **options: object) -> str:
    named = CORPUS_STAGES[stage]
    return named.open(named.options(**options))(ChunkText(text, document or text, start))


def test_tables_stand_alone_with_a_blank_line_between_them() -> None:
    assert changed("tables", REPORT) == (
        "| year | revenue |\n| 2023 | 12.5 |\n\n| year | costs |\n| 2023 | 3.4 |"
    )
    assert changed("tables", CHINESE) == "| 年份 | 利率 |\n| 2023 | 3.4% |"
    assert changed("tables", "no table | here") == "no table | here"


def test_a_summary_is_of_the_sentences_with_the_most_frequent_words() -> None:
    text = "Rates rose. Loans cost more. Rates of loans rose again. Lunch was served."
    assert changed("summary", text, most=2) == "Rates rose.\nRates of loans rose again."
    chinese = "利率上升。贷款利率上升。午餐供应。"
    assert changed("summary", chinese, most=1) == "利率上升。"
    assert changed("summary", "", most=1) == ""


def test_the_headings_over_a_chunk_stand_before_it() -> None:
    start = REPORT.index("Revenue rose")
    assert changed("context", "Revenue rose", REPORT, start) == (
        "Annual report\nRevenue\nRevenue rose"
    )
    assert changed("context", "Revenue rose", REPORT, start, most=1) == "Revenue\nRevenue rose"
    assert changed("context", "| 2023", CHINESE, CHINESE.index("| 2023")) == "年报\n利率\n| 2023"
    other = REPORT + "# Another part\n\nIts text."
    assert changed("context", "Its text.", other, other.index("Its")) == "Another part\nIts text."


def test_the_beginning_of_a_document_stands_before_its_later_chunks() -> None:
    text = "The fund is large. It grew. Risk fell."
    asked = {"by": "beginning", "most": 1}
    assert changed("context", "Risk fell.", text, 28, **asked) == "The fund is large.\nRisk fell."
    assert changed("context", text, text, 0, **asked) == text


def test_a_run_searches_the_changed_texts_and_hits_stay_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "w"
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        corpus = corpora.create(db, "reports", ChunkingSettings(4_000, 0))
        put_text(db, corpus, "report.md", REPORT)
        put_text(db, corpus, "prose.md", "Revenue is nice. Revenue is revenue. 12.5 is no revenue.")
        start = REPORT.index("| 2023 | 12.5")
        evidence = Evidence(text_id(REPORT), start, start + 15, "| 2023 | 12.5 |")
        turn = Turn("What was sold?", ("12.5",), (evidence,))
        make_release(db, corpus, contents={"q": ItemContent((turn,), "rates", "extractive", "en")})
    write_settings(
        folder,
        system_table("plain", "extractive", "bm25"),
        system_table("tables", "extractive", "bm25") + 'corpus = ["tables"]\n',
    )
    for system in ("plain", "tables"):
        queue(folder, system, name=system)
        work_here(folder)
    with open_workspace(folder) as workspace:
        assert mean(workspace, "plain", "recall@1") == 1  # the prose of the report says "sold"
        assert mean(workspace, "tables", "recall@1") == 0  # its tables do not
        corpus = corpora.get(workspace.db, "reports")
        stages = (StageConfig("tables"),)
        retriever = open_retriever(workspace, corpus, Retrieval("bm25", corpus=stages))
        (hit,) = retriever.search(["costs"], 5)[0]
        assert (hit.document_id, hit.start, hit.end) == (text_id(REPORT), 0, len(REPORT))
        assert retriever.search(["sum"], 5) == [[]]
        # made once: a second index over the same texts makes none
        monkeypatch.setattr(refined, "refined_columns", None)
        kept = open_texts(workspace, corpus, stages, None)
        assert kept.of([hit]) == [changed("tables", REPORT)]
        other = open_retriever(workspace, corpus, Retrieval("bm25-okapi", corpus=stages))
        assert other.search(["costs"], 5)[0][0].chunk_id == hit.chunk_id


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('corpus = ["table"]', "no corpus stage 'table'"),
        ('corpus = [{ stage = "summary", most = 0 }]', "Stage 'summary': .*>= 1"),
        ('corpus = [{ stage = "tables", provider = "p" }]', "asks no model"),
    ],
)
def test_wrong_settings_are_refused(tmp_path: Path, table: str, message: str) -> None:
    write_settings(tmp_path, system_table("s", "extractive", "bm25") + table)
    with pytest.raises(InputError, match=message):
        find_system(tmp_path, "s")
