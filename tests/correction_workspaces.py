"""Items to correct: a Chinese one with documents to choose from, a dialogue, an English one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from desks import SIZES, desk
from textual.pilot import Pilot
from tiny_workspaces import CHUNKING, put_text

from engine.labelling.session import LabelSession
from store.corpora import corpora, taxonomies
from store.datasets import datasets
from store.hashing import text_id
from store.labels.log.events import Subject
from store.records import Evidence, ItemContent, Task, Taxonomy, Topic, Turn
from store.workspace import Workspace, open_workspace
from tui.app import Ragdesk
from tui.correction.screen import CorrectionScreen

LIQUIDITY = (
    "第三条 商业银行应当按月报送流动性覆盖率。"
    "该指标由优质流动性资产与未来三十日净现金流出之比计算，"
    "最低监管要求为不低于百分之一百。资产规模不足二千亿元的商业银行，适用优质流动性资产充足率。\n"
    "第四条 监管机构可以要求更高的比例。"
)
FUNDS = "基金净值上涨2.1%，规模达12.5亿元。管理人说，“下半年会更好”。"
RATES = "The rate rose to 3.5 percent in March. Loans cost more, e.g. mortgages. Savers gain."


TAXONOMY = Taxonomy(
    "small",
    "Small",
    (Topic("rates", "利率", "Rates"), Topic("funds", "基金", "Funds")),
    (
        Task("extractive", "抽取", "Extractive"),
        Task("conversational", "对话", "Dialogue", shape="conversation"),
    ),
)


class ToCorrect(msgspec.Struct, frozen=True):
    folder: Path
    subjects: tuple[Subject, ...]
    """The Chinese item, the dialogue, the English one."""
    items: tuple[int, ...]


def quote_of(text: str, quote: str) -> Evidence:
    start = text.index(quote)
    return Evidence(text_id(text), start, start + len(quote), quote)


CHINESE = ItemContent(
    (
        Turn(
            "流动性覆盖率的最低监管要求是多少？",
            ("不低于100%", "100%"),
            (quote_of(LIQUIDITY, "商业银行应当按月报送流动性覆盖率。"),),
        ),
    ),
    "rates",
    "extractive",
    "zh",
)
DIALOGUE = ItemContent(
    (
        Turn("基金净值上涨多少？", ("2.1%",), (quote_of(FUNDS, "上涨2.1%"),)),
        Turn("规模呢？", ("12.5亿元",), (quote_of(FUNDS, "12.5亿元"),)),
    ),
    "funds",
    "conversational",
    "zh",
)
ENGLISH = ItemContent(
    (Turn("What is the rate?", ("3.5 percent",), (quote_of(RATES, "3.5 percent"),)),),
    "rates",
    "extractive",
    "en",
)


def make_to_correct(folder: Path) -> ToCorrect:
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        corpus = corpora.create(db, "rules", CHUNKING)
        for path, text in (("lcr.md", LIQUIDITY), ("fund.md", FUNDS), ("rates.md", RATES)):
            put_text(db, corpus, path, text, title=path.removesuffix(".md"))
        dataset = datasets.create(db, "bench", corpus.id, taxonomies.put(db, TAXONOMY))
        items = tuple(
            datasets.add_item(db, dataset, f"i{at}", f"g{at}", made, author="model", reason="made")
            for at, made in enumerate((CHINESE, DIALOGUE, ENGLISH))
        )
        heads = dict(db.execute("SELECT id, head FROM item").fetchall())
    return ToCorrect(folder, tuple(Subject("revision", str(heads[item])) for item in items), items)


class Open(msgspec.Struct):
    """A correction that is open in the app."""

    app: Ragdesk
    pilot: Pilot[int]
    screen: CorrectionScreen
    workspace: Workspace
    session: LabelSession
    results: list[int | None]

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        """As an input method commits it: key by key, whole."""
        for character in text:
            self.screen.form.editor._type(character)
        await self.pilot.pause()


@asynccontextmanager
async def correcting(
    made: ToCorrect, at: int = 0, *, size: tuple[int, int] = SIZES[0], focus: str | None = None
) -> AsyncIterator[Open]:
    """The correction of one of the items, in the app."""
    async with desk(made.folder, size) as (app, pilot):
        with open_workspace(made.folder) as workspace:
            session = LabelSession(workspace, "inspection", app.rater)
            screen = CorrectionScreen(session, made.subjects[at], focus=focus)
            results: list[int | None] = []
            await app.push_screen(screen, results.append)
            await pilot.pause()
            yield Open(app, pilot, screen, workspace, session, results)
            if screen.is_attached:
                await screen.remove()
