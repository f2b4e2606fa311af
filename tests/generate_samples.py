"""Documents and tasks that the tests of generation share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from engine.corpus.document import SourceDocument
from engine.generate.partners import choose_partners
from engine.taxonomy.definitions import load_taxonomy
from store.records import Task

OMNIEVAL = load_taxonomy("omnieval")
TASKS: dict[str, Task] = {task.key: task for task in OMNIEVAL.tasks}

FUND = SourceDocument(
    "fund-zh",
    "云帆稳健债券型基金2024年第四季度报告",
    "基金管理人为云帆基金管理有限公司，基金经理为沈知远，任职起始日为2021年8月3日。\n\n"
    "一、份额与规模。期末资产净值为26.84亿元，管理费率为0.60%，托管费率为0.15%。"
    "持有不满7日的，须收取1.5%的赎回费。报告期内总申购1.85亿份，总赎回4.12亿份。\n\n"
    "| 项目 | 占比 |\n|---|---|\n| 债券 | 84.7% |\n| 股票 | 5.1% |\n| 现金 | 10.2% |",
    "zh",
    "fund",
    "reports/a.md",
)
CARD = SourceDocument(
    "card-en",
    "Heron Credit Card: Summary of Terms",
    "The annual fee is 36 pounds. The minimum payment is 25 pounds. If a payment is missed twice, "
    "the introductory offer ends at once. The portfolio manager, Ines Calloway, has run the card "
    "since 2019.\n\n"
    "| Charge | 2023 | 2024 |\n|---|---|---|\n| Cash withdrawal fees | $ 1,200 | $ 1,500 |\n"
    "| Foreign purchase fees | 300 | 360 |",
    "en",
    "retail_banking",
)


@lru_cache(maxsize=1)
def sample_documents() -> tuple[SourceDocument, ...]:
    """The documents of the sample corpus."""
    folder = Path(__file__).parents[1] / "sample_corpus" / "documents"
    found = []
    for file in sorted(folder.glob("*/*.md")):
        text = file.read_text(encoding="utf-8")
        lang = "zh" if any("一" <= char <= "鿿" for char in text[:80]) else "en"
        found.append(SourceDocument(file.stem, "", text, lang, file.parent.name, str(file)))
    return tuple(found)


def partners_in_folder(
    documents: Sequence[SourceDocument], most: int = 3
) -> dict[str, tuple[SourceDocument, ...]]:
    """The partners of each document by its id: the others of its folder, at most `most`."""
    folders: defaultdict[Path, list[SourceDocument]] = defaultdict(list)
    for document in documents:
        folders[Path(document.source).parent].append(document)
    return {
        document.document_id: choose_partners(
            document, folders[Path(document.source).parent], most=most
        )
        for document in documents
    }
