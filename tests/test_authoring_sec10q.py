"""Twenty items from eight quarterly reports by a team at terminals, exported and evaluated."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from author_terminals import Draft, answer, at_step, next_item, told, write
from planted_answers import SHARED
from worker_here import work_here

from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.jobs.operation import queue
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.corpora import corpora
from store.datasets import datasets
from store.records import ItemState
from store.verify import verify
from store.workspace import open_workspace
from tui.cli import main

REPORTS = SHARED / "en_sec10q" / "pdf"
ITEMS = 20
UNANSWERED = 3
"""Every so many-th item is a question without an answer."""


@pytest.mark.slow
@pytest.mark.skipif(not REPORTS.is_dir(), reason="the quarterly reports are not here")
def test_twenty_items_go_through_three_people_to_a_matrix(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "w"

    def call(*words: str) -> str:
        assert main(["--workspace", str(folder), *words]) == 0
        return capsys.readouterr().out

    call("ingest", str(REPORTS), "--corpus", "filings")
    begin = ("author", "begin", "q", "--corpus", "filings", "--dataset", "team")
    people = ("--writers", "ann", "--answerers", "cy", "--leads", "lin")
    call("--rater", "lin", *begin, "--items", str(ITEMS), "--documents", "1-4", *people)
    with open_workspace(folder) as workspace:
        db = workspace.db
        rows = db.execute(
            "SELECT item_key, revision_id FROM authored JOIN item ON item.id = item_id"
        )
        given = {key: datasets.content(db, commission).documents for key, commission in rows}
        corpus = corpora.get(db, "filings")
        texts = {one.document_id: one.text for one in corpora.documents(db, corpus)}
    with at_step(folder, "ann", "q/question") as terminal:
        left = [*given]
        for number in range(ITEMS):
            key = next_item(terminal, left)
            documents = given[key]
            if number % UNANSWERED == 0:
                draft = Draft(f"What did the auditors of {key} dislike?", "no")
            else:
                # of every second one all documents that were given, else the first
                marked = documents if number % 2 else documents[:1]
                spans = [_findable(texts[name]) for name in marked]
                draft = Draft(f"What does filing {key} report?", "abstr", spans)
            write(terminal, draft, len(documents))
        told(terminal, f"Of {ITEMS} items 0 wait for a question")
    call("release", "--dataset", "team", "--unanswered")
    for system in ("bm25", "lsa"):
        evaluate(folder, system, f"{system}-questions")
    with at_step(folder, "cy", "q/answer") as terminal:
        left = [*given]
        while left:
            next_item(terminal, left)
            terminal.wait_for("system A")
            answer(terminal, "" if "dislike" in terminal.text else "It reports its figures.")
        told(terminal, f"0 for an answer and {ITEMS} for the lead")
    with at_step(folder, "lin", "q/vetting") as terminal:
        left = [*given]
        while left:
            next_item(terminal, left)
            terminal.settle(0.3)
            terminal.press("3")
        told(terminal, f"{ITEMS} are accepted")
    call("release", "--dataset", "team")
    evaluate(folder, "bm25", "final")
    call("export", "beir", "--dataset", "team@2", "--out", str(tmp_path / "out"))
    lines = (tmp_path / "out" / "queries.jsonl").read_text("utf-8").splitlines()
    facets = Counter(
        tuple(json.loads(line)["meta"]["facets"].get(name, "") for name in ("modality", "hops"))
        for line in lines
    )
    assert facets.total() == ITEMS
    assert facets["", ""] == len(range(0, ITEMS, UNANSWERED))
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert [one for one in verify(db).checks if not one.ok] == [], "spans are verbatim"
        states = datasets.state_counts(db, datasets.get(db, "team"))
        assert states == {ItemState.ACCEPTED: ITEMS}
        view = run_matrix(db, "final", MetricQuery("recall@5", rows="modality", cols="hops"))
        assert set(view.matrix.rows.keys) >= {"text", "unassigned"}
        assert set(view.matrix.cols.keys) >= {"single", "inter", "unassigned"}


def _findable(text: str) -> str:
    """Some words of a document that a search finds in it, from a line in its middle."""
    lines = [line for line in text.splitlines() if len(line) > 30 and line.isascii()]
    return lines[len(lines) // 2][2:26].strip()


def evaluate(folder: Path, system: str, run: str) -> None:
    with open_workspace(folder) as workspace:
        queue(workspace, Evaluate(NewRun(system, "team", name=run)))
    work_here(folder)
