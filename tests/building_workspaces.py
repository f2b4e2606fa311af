"""Workspaces with a corpus of small texts and drafted items on them, and models that judge them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from endpoint_workspaces import provider_table, write_settings
from scripted_server import (
    Reply,
    Request,
    answer,
    content_filtered,
    rate_limited,
    server_error,
)
from tiny_workspaces import CHUNKING, TAXONOMY, put_text

from store.corpora import corpora, taxonomies
from store.datasets import datasets
from store.datasets.datasets import Dataset
from store.hashing import text_id
from store.records import Evidence, ItemContent, ItemState, Turn
from store.workspace import Workspace, open_workspace

KINDS = ("good", "corrected", "poor", "prose", "cut", "declined", "filtered", "haste", "fault")
"""What `judging` says of an item, by its number modulo their count."""
PASSAGE = "charged {} basis points"


def text(number: int) -> str:
    kind = number * 7
    return f"In March Delta Bank {number} charged {number} basis points on a loan of type {kind}."


def item(number: int) -> ItemContent:
    """A question on text `number` that names the number, with a verbatim passage."""
    quote = PASSAGE.format(number)
    start = text(number).index(quote)
    evidence = Evidence(text_id(text(number)), start, start + len(quote), quote)
    asked = f"How many basis points did Delta Bank {number} charge on a loan in March?"
    return ItemContent((Turn(asked, (f"{number}",), (evidence,)),), "rates", "extractive")


def make_building(
    folder: Path, count: int, base_url: str = "", items: bool = True, **provider: object
) -> Path:
    """A corpus of `count` texts, a drafted item on each, and the provider `scripted`."""
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        corpus = corpora.create(db, "texts", CHUNKING)
        for number in range(count):
            put_text(db, corpus, f"{number:03}.txt", text(number), title=f"Bank {number}")
        made = datasets.create(db, "drafts", corpus.id, taxonomies.put(db, TAXONOMY))
        for number in range(count if items else 0):
            add_draft(workspace, made, number)
    write_settings(folder, provider_table("scripted", base_url or "http://127.0.0.1:9", **provider))
    return folder


def add_draft(workspace: Workspace, dataset: Dataset, number: int) -> int:
    content = item(number)
    key = content.turns[0].evidence[0].document_id
    return datasets.add_item(
        workspace.db, dataset, f"i{number:03}", key, content, author="offline", reason="drafted"
    )


def number_in(request: Request) -> int:
    """The number of the bank that a request is about."""
    found = re.search(r"Delta Bank (\d+)", request.body["messages"][-1]["content"])
    assert found
    return int(found[1])


def verdict(evaluation: object, corrected: object = None) -> str:
    return json.dumps({"evaluation": evaluation, "corrected_result": corrected})


def correction(number: int) -> dict[str, object]:
    return {
        "question": f"What did Delta Bank {number} charge on a loan in March, in basis points?",
        "answer": [f"{number}", f"{number} basis points"],
        "relevant_passage": [PASSAGE.format(number)],
    }


def judging(request: Request) -> Reply | None:
    """A model that says of each item what its number makes it: see `KINDS`."""
    number = number_in(request)
    kind = KINDS[number % len(KINDS)]
    first = request.attempt == 1
    if kind == "haste" and first:
        return rate_limited(retry_after_ms=20)
    if kind == "fault" and first:
        return server_error()
    if kind == "corrected" and "in basis points?" not in request.body["messages"][-1]["content"]:
        return answer(f"Here you are:\n```json\n{verdict(1, correction(number))}\n```")
    if kind == "filtered":
        return content_filtered()
    said = {
        "poor": verdict(0),
        "prose": "This item looks quite good to me, I would keep it.",
        "cut": '{"evaluation": 1, "corrected_result": {"question": "What',
        "declined": "I'm sorry, but I can't help with that.",
    }
    return answer(said.get(kind, verdict(2)))


def states(folder: Path) -> dict[str, str]:
    """The state of each item, by its key."""
    with open_workspace(folder) as workspace:
        rows = workspace.db.execute("SELECT item_key, state FROM item ORDER BY item_key")
        return dict(rows.fetchall())


def expected_states(count: int) -> dict[str, str]:
    """What `judging` makes of drafts: who gets no verdict stays drafted."""
    by_kind = {
        "good": ItemState.ACCEPTED,
        "haste": ItemState.ACCEPTED,
        "fault": ItemState.ACCEPTED,
        "corrected": ItemState.ACCEPTED,
        "poor": ItemState.DISCARDED,
    }
    return {
        f"i{number:03}": by_kind.get(KINDS[number % len(KINDS)], ItemState.DRAFTED).value
        for number in range(count)
    }
