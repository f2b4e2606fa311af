"""Workspaces to label: Chinese and English answers of two systems over long documents, drawn."""

from __future__ import annotations

import functools
import random
import sqlite3
from pathlib import Path

from labelling_workspaces import new_workspace
from tiny_workspaces import f1, put_text

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from store.corpora import corpora, taxonomies
from store.datasets import datasets
from store.hashing import text_id
from store.records import (
    Evidence,
    Hit,
    ItemContent,
    ItemState,
    Lang,
    PredictionState,
    Task,
    Taxonomy,
    Topic,
    Turn,
)
from store.runs import runs, stages
from store.runs.runs import Run, RunSettings
from store.runs.stages import AnswerValue, RetrieveValue, ScoreValue
from store.systems import SystemConfig
from store.workspace import Workspace

TAXONOMY = Taxonomy(
    key="reports",
    name="Reports",
    topics=(Topic("profit", "利润", "Profit"), Topic("loans", "贷款", "Loans")),
    tasks=(Task("extractive", "抽取类问答", "Extractive"),),
)
SYSTEM = SystemConfig(name="retriever-x", retriever="bm25")
RIVAL = SystemConfig(name="rival-y", retriever="bm25")
DOCUMENTS = Path(__file__).parents[1] / "sample_corpus" / "documents"


def fact(at: int, lang: str) -> tuple[str, str, str, str]:
    """A sentence of the document, the question, the golden answer, a wrong one."""
    percent = f"{at % 9 + 1}.{at % 10}%"
    if lang == "zh":
        if at % 4 == 3:
            return f"第{at}号公司的董事长是王安。", f"第{at}号公司的董事长是谁？", "王安", "李平"
        said = f"第{at}号公司2023年净利润为12.5亿元，同比下降{percent}。"
        asked = f"第{at}号公司2023年净利润同比变动多少？"
        return said, asked, f"下降{percent}", f"净利润为12.5亿元，同比增长{percent}。预计明年翻番。"
    if at % 4 == 3:
        return f"Company {at} is led by Ann Lee.", f"Who leads company {at}?", "Ann Lee", "Bo Ray"
    said = f"In 2023 the profit of company {at} fell by {percent} to 12.5 million."
    asked = f"How did the profit of company {at} change in 2023?"
    return said, asked, f"fell by {percent}", f"It rose by {percent} to 12.5 million."


def label_workspace(
    folder: Path,
    cases: int = 8,
    *,
    characters: int = 900,
    raters_wanted: int = 1,
    form: str = "judge_labels",
    retrieves: bool = True,
) -> Workspace:
    """`cases` answers of one system (and as many of another), all drawn into the sample `first`;
    close it. Even ones are Chinese, a third of them is wrong."""
    workspace = new_workspace(folder)
    with workspace.write() as db:
        corpus = corpora.create(db, "reports")
        dataset = datasets.create(db, "gold", corpus.id, taxonomies.put(db, TAXONOMY))
        spans: dict[str, list[Hit]] = {}
        wrong: dict[str, str] = {}
        for at in range(cases):
            lang: Lang = "zh" if at % 2 == 0 else "en"
            said, asked, golden, other = fact(at, lang)
            text, start = _document(said, lang, at, characters)
            put_text(db, corpus, f"{at}.md", text, title=f"报告{at}")
            evidence = Evidence(text_id(text), start, start + len(said), said)
            content = ItemContent(
                turns=(Turn(asked, (golden,), (evidence,)),),
                topic=("profit", "loans")[at // 2 % 2],
                task="extractive",
                lang=lang,
            )
            datasets.add_item(
                db,
                dataset,
                f"c{at:03}",
                f"g{at}",
                content,
                author="test",
                reason="made",
                state=ItemState.ACCEPTED,
            )
            spans[f"c{at:03}"] = [
                Hit(evidence.document_id, max(start - 1000, 0), start + len(said) + 1000, 7.25),
                Hit(evidence.document_id, 0, 150, 3.5),
            ]
            wrong[f"c{at:03}"] = other
        release = datasets.release(db, dataset)
        for system in (SYSTEM, RIVAL):
            run = _run(db, release.id, system)
            _answer(db, run, spans if retrieves else None, wrong)
    names = ("retriever-x-1", "rival-y-1") if form == "preference" else ("retriever-x-1",)
    draw_sample(
        workspace,
        SampleRequest("first", form, per_cell=cases, runs=names, raters_wanted=raters_wanted),
    )
    return workspace


@functools.cache
def filler(lang: str) -> list[str]:
    """Lines of the sample's documents in a language, so that no two documents are alike."""
    found = []
    for file in sorted(DOCUMENTS.rglob("*.md")):
        for line in file.read_text("utf-8").splitlines():
            if len(line) > 30 and (line[0] > "\u2e80") == (lang == "zh"):
                found.append(f"{line}\n")
    return found


def _document(said: str, lang: str, at: int, characters: int) -> tuple[str, int]:
    known = filler(lang)
    lines: list[str] = []
    while sum(map(len, lines)) < characters:
        lines.append(known[(17 * at + len(lines)) % len(known)])
    lines.insert(len(lines) // 2, f"{said}\n")
    text = "".join(lines)
    return text, text.index(said)


def _run(db: sqlite3.Connection, release: int, system: SystemConfig) -> Run:
    order = [(item.revision_id, 1) for item in datasets.released_items(db, release)]
    return runs.create(db, f"{system.name}-1", release, system, RunSettings(), order)


def _answer(
    db: sqlite3.Connection, run: Run, spans: dict[str, list[Hit]] | None, wrong: dict[str, str]
) -> None:
    rows = db.execute(
        "SELECT prediction.id, item_key, json_extract(content, '$.turns[0].golden_answers[0]')"
        " FROM prediction JOIN revision ON revision.id = revision_id JOIN item ON"
        " item.id = item_id WHERE run_id = ? ORDER BY prediction.ordinal",
        (run.id,),
    ).fetchall()
    draw = random.Random(run.id)
    for prediction, key, golden in rows:
        answer = wrong[key] if draw.random() < 1 / 3 or key == "c000" else golden
        if spans is not None:
            value = RetrieveValue("q", tuple(spans[key]))
            stages.put(db, prediction, "retrieve", value, elapsed_ms=1.0)
        stages.finish_prediction(db, prediction, PredictionState.OK, answer=answer)
        stages.put(db, prediction, "answer", AnswerValue("rule"), elapsed_ms=1.0)
        stages.put_scores(db, prediction, [f1(0.5)])
        stages.put(db, prediction, "score", ScoreValue(1), elapsed_ms=1.0)


CHOICES = {
    "accuracy": "012",
    "completeness": "012-",
    "hallucination": "01",
    "utilization": "012",
    "numerical_accuracy": "01-",
}


def seeded_labels(count: int, seed: int = 11) -> list[dict[str, str]]:
    """The keys of a rater for so many cases, by field."""
    draw = random.Random(seed)
    return [{field: draw.choice(keys) for field, keys in CHOICES.items()} for _ in range(count)]
