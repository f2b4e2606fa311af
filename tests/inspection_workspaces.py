"""Workspaces to inspect: Chinese items over long documents, drawn into a sample, of any size."""

from __future__ import annotations

import random
from pathlib import Path

from labelling_workspaces import new_workspace, register
from tiny_workspaces import CHUNKING

from engine.labelling.drawing import SampleRequest, draw_sample
from store import corpora, datasets
from store.hashing import text_id
from store.records import Document, Evidence, ItemContent, Source, Task, Taxonomy, Topic, Turn
from store.workspace import Workspace

TOPICS = (
    Topic("bank", "商业银行", "Commercial banks"),
    Topic("fund", "基金", "Funds"),
    Topic("insure", "保险", "Insurance"),
)
TASKS = (
    Task("extractive", "抽取类问答", "Extractive", requirement_zh="答案是文档中的一段原文。"),
    Task("multi_hop", "多跳推理", "Multi-hop", requirement_zh="答案须由两处以上信息推出。"),
)
TAXONOMY = Taxonomy(key="banking", name="Banking", topics=TOPICS, tasks=TASKS)
FILLER = (
    "第{n}条商业银行应当按月报送流动性覆盖率，该指标由优质流动性资产与未来三十日净现金流出之比计算。"
    "“资产规模不足二千亿元的商业银行”，适用优质流动性资产充足率；其他机构按本办法执行（另有规定的除外）。\n"
)


def document_text(at: int, characters: int) -> tuple[str, int, str]:
    """A document of about so many characters; where its evidence begins, and the evidence."""
    quote = f"第{at}号机构的最低监管要求为不低于百分之{at % 90 + 10}"
    lines: list[str] = []
    size = 0
    while size < characters:
        lines.append(FILLER.format(n=len(lines) + 1))
        size += len(lines[-1])
    lines.insert(len(lines) // 2, f"{quote}。\n")
    text = "".join(lines)
    return text, text.index(quote), quote


def item_content(at: int, document: str, start: int, quote: str) -> ItemContent:
    topic, task = TOPICS[at % 3].key, TASKS[at // 3 % 2].key
    return ItemContent(
        turns=(
            Turn(
                f"第{at}题：该机构的最低监管要求是多少？",
                (f"不低于百分之{quote.rpartition('之')[2]}", quote[-2:]),
                (Evidence(document, start, start + len(quote), quote),),
            ),
        ),
        topic=topic,
        task=task,
        lang="zh",
    )


def inspection_workspace(
    folder: Path,
    items: int = 30,
    *,
    documents: int = 6,
    characters: int = 2500,
    raters_wanted: int = 1,
) -> Workspace:
    """A workspace whose drafted items all wait for inspection, in six cells; close it.

    10,000 items over 200 documents take a few seconds.
    """
    workspace = new_workspace(folder)
    with workspace.write() as db:
        corpus = corpora.create(db, "regulations", CHUNKING)
        known = []
        for at in range(documents):
            text, start, quote = document_text(at, characters)
            document = Document(text_id(text), text, "zh", len(text))
            row = corpora.put_document(db, document)
            source = Source(f"办法{at}.md", f"商业银行流动性风险管理办法（{at}）")
            corpora.put_source(db, corpus, row, source, {})
            known.append((document.id, start, quote))
        dataset = datasets.create(db, "zh-finance", corpus.id, corpora.put_taxonomy(db, TAXONOMY))
        for at in range(items):
            content = item_content(at, *known[at % documents])
            datasets.add_item(
                db, dataset, f"z{at}", f"g{at}", content, author="model", reason="generated"
            )
        register(db)
    draw_sample(
        workspace,
        SampleRequest(
            "first",
            "inspection",
            per_cell=items,
            dataset="zh-finance",
            raters_wanted=raters_wanted,
        ),
    )
    return workspace


def seeded_scores(count: int, seed: int = 7) -> list[str]:
    """So many keys of a rater who accepts most items and discards some."""
    draw = random.Random(seed)
    return [draw.choice("4455512") for _ in range(count)]
