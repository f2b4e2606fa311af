"""Workspaces to inspect: Chinese items over long documents, drawn into a sample, of any size."""

from __future__ import annotations

import random
from pathlib import Path

from labelling_workspaces import new_workspace, register
from tiny_workspaces import put_text

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from store.corpora import corpora, taxonomies
from store.datasets import datasets
from store.hashing import text_id
from store.records import Evidence, ItemContent, Task, Taxonomy, Topic, Turn
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
FILLERS = (
    "第{n}条商业银行应当按月报送流动性覆盖率，该指标由优质流动性资产与未来三十日净现金流出之比计算。"
    "“资产规模不足二千亿元的商业银行”，适用优质流动性资产充足率；其他机构按本办法执行（另有规定的除外）。\n",
    "第{n}条基金管理人应当自募集期限届满之日起10日内聘请验资机构验资，"
    "并向国务院证券监督管理机构提交验资报告，办理备案手续。\n",
    "第{n}条投保人、被保险人或者受益人知道保险事故发生后，应当及时通知保险人。"
    "故意或者因重大过失未及时通知，致使损失的程度难以确定的，保险人对无法确定的部分不承担责任！\n",
    "第{n}条《企业会计准则第22号》（Financial Instruments, IFRS 9）规定的减值，"
    "按“预期信用损失”计量：③阶段。\n",
    "第{n}条2023年末，不良贷款率为1.62%，比上年末下降0.09个百分点，"
    "拨备覆盖率为205.1%，较上年提高13.2个百分点。\n",
)


def document_text(at: int, characters: int) -> tuple[str, int, str]:
    """A document of about so many characters, other ones for another number; where its evidence
    begins, and the evidence."""
    quote = f"第{at}号机构的最低监管要求为不低于百分之{at % 90 + 10}"
    lines: list[str] = []
    size, draw = 0, random.Random(at)
    while size < characters:
        lines.append(draw.choice(FILLERS).format(n=len(lines) + 1))
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
        corpus = corpora.create(db, "regulations")
        known = []
        for at in range(documents):
            text, start, quote = document_text(at, characters)
            title = f"商业银行流动性风险管理办法（{at}）"
            put_text(db, corpus, f"办法{at}.md", text, title=title)
            known.append((text_id(text), start, quote))
        dataset = datasets.create(db, "zh-finance", corpus.id, taxonomies.put(db, TAXONOMY))
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
