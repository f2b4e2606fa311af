"""The smallest workspaces that show the store's behaviour: a few texts, three items, one run."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from store.corpora import corpora, taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Release
from store.hashing import text_id
from store.records import (
    Chunk,
    ChunkingSettings,
    Document,
    Evidence,
    Hit,
    ItemContent,
    ItemState,
    MetricScore,
    PredictionState,
    ScoreState,
    Source,
    Task,
    Taxonomy,
    Topic,
    Turn,
)
from store.runs import runs, stages
from store.runs.runs import Run, RunSettings
from store.runs.stages import AnswerValue, RetrieveValue, ScoreValue
from store.systems import SystemConfig

CHUNKING = ChunkingSettings(size=12, overlap=0, unit="chars")

TEXTS = {
    "en/rates.md": "The rate rose to 3.5 percent in March. 😀 Loans cost more.",
    "en/bonds.md": "Bond prices fell after the rate rose.",
    "zh/基金.md": "基金净值上涨2.1%，规模达12.5亿元。",
    "zh/保险.md": "保险公司的保费收入同比下降3.4%。",
}
"""Path to text; languages and a character outside the basic plane are mixed on purpose."""

TAXONOMY = Taxonomy(
    key="tiny",
    name="Tiny",
    topics=(Topic("rates", "利率", "Rates"), Topic("funds", "基金", "Funds")),
    tasks=(Task("extractive", "抽取", "Extractive"), Task("conversational", "对话", "Dialogue")),
)

SYSTEM = SystemConfig(name="bm25", retriever="bm25")


class Released(msgspec.Struct, frozen=True):
    """A released dataset; `items` maps item key to (item number, revision number)."""

    corpus: Corpus
    dataset: datasets.Dataset
    release: Release
    items: dict[str, tuple[int, int]]


def put_text(
    db: sqlite3.Connection,
    corpus: Corpus,
    path: str,
    text: str,
    *,
    title: str = "",
    locator: str = "",
    external_id: str = "",
    meta: dict[str, object] | None = None,
    reading: int = 0,
) -> str:
    """Puts one text with its chunks; returns what `put_source` says."""
    lang = "zh" if any("一" <= character <= "鿿" for character in text) else "en"
    document = Document(text_id(text), text, lang, len(text))
    row = corpora.put_document(db, document)
    if not corpora.has_chunks(db, corpus, row):
        size = corpus.chunking.size
        starts = range(0, len(text), size)
        corpora.put_chunks(
            db,
            corpus,
            row,
            (
                Chunk(document.id, ordinal, start, min(start + size, len(text)), 1)
                for ordinal, start in enumerate(starts)
            ),
        )
    source = Source(path, title, locator, external_id)
    return corpora.put_source(db, corpus, row, source, meta or {}, reading)


def make_corpus(db: sqlite3.Connection, name: str = "tiny", paths: Iterable[str] = TEXTS) -> Corpus:
    """The texts of those paths, in that order, each titled by its file's name."""
    corpus = corpora.create(db, name, CHUNKING)
    for path in paths:
        put_text(db, corpus, path, TEXTS[path], title=path.split("/")[-1])
    return corpus


def question(
    text: str = "What is the rate?", *, topic: str = "rates", turns: int = 1, **facets: object
) -> ItemContent:
    """An item's content on the first text, with a verbatim quote as evidence."""
    document = TEXTS["en/rates.md"]
    start = document.index("3.5 percent")
    evidence = Evidence(text_id(document), start, start + 11, "3.5 percent")
    return ItemContent(
        turns=tuple(
            Turn(f"{text} ({turn})" if turns > 1 else text, ("3.5 percent",), (evidence,))
            for turn in range(turns)
        ),
        topic=topic,
        task="conversational" if turns > 1 else "extractive",
        lang="en",
        facets=facets,  # type: ignore[arg-type]
    )


def make_release(
    db: sqlite3.Connection,
    corpus: Corpus,
    name: str = "gold",
    contents: dict[str, ItemContent] | None = None,
    taxonomy: Taxonomy | None = None,
) -> Released:
    """A dataset of accepted items, released; by default `a`, `b` and the dialogue `c`."""
    contents = contents or {
        "a": question(),
        "b": question("基金涨了多少？", topic="funds"),
        "c": question("And then?", turns=3),
    }
    taxonomy_id = taxonomies.put(db, taxonomy or TAXONOMY)
    dataset = datasets.create(db, name, corpus.id, taxonomy_id)
    for key, content in contents.items():
        datasets.add_item(
            db,
            dataset,
            key,
            f"group of {key}",
            content,
            author="test",
            reason="made",
            state=ItemState.ACCEPTED,
        )
    release = datasets.release(db, dataset)
    items = {
        item.item_key: (item.item_id, item.revision_id)
        for item in datasets.released_items(db, release.id)
    }
    return Released(corpus, dataset, release, items)


def make_run(
    db: sqlite3.Connection, released: Released, name: str = "first", repeats: int = 1
) -> Run:
    """A run with everything pending, in the order of the items."""
    order = [
        (item.revision_id, len(item.content.turns))
        for item in datasets.released_items(db, released.release.id)
    ]
    settings = RunSettings(repeats=repeats)
    return runs.create(db, name, released.release.id, SYSTEM, settings, order)


def prediction_ids(db: sqlite3.Connection, run: Run) -> list[int]:
    """The run's predictions in their order."""
    found = db.execute("SELECT id FROM prediction WHERE run_id = ? ORDER BY ordinal", (run.id,))
    return [number for (number,) in found]


def answer_and_score(
    db: sqlite3.Connection,
    prediction: int,
    scores: Iterable[MetricScore],
    *,
    answer: str = "3.5 percent",
    judge_id: int = 0,
) -> None:
    """All stages of one prediction, as a worker stores them."""
    scores = list(scores)
    hits = (Hit(text_id(TEXTS["en/rates.md"]), 0, 12, 2.5),)
    stages.put(db, prediction, "retrieve", RetrieveValue("rate", hits), elapsed_ms=1.0)
    stages.finish_prediction(db, prediction, PredictionState.OK, answer=answer)
    stages.put(db, prediction, "answer", AnswerValue("it stands there"), elapsed_ms=1.0)
    stages.put_scores(db, prediction, scores, judge_id=judge_id)
    stages.put(db, prediction, "score", ScoreValue(len(scores)), elapsed_ms=1.0)


def f1(value: float | None, variant: str = "standard") -> MetricScore:
    """An F1 score, or `na` where there is no value."""
    state = ScoreState.OK if value is not None else ScoreState.NA
    return MetricScore("f1", variant, value, state, "tokens in common")
