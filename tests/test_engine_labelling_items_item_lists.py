"""Lists of items by what holds of them, near-duplicates group by group, and items alike."""

from __future__ import annotations

import pytest
from tiny_workspaces import (
    answer_and_score,
    f1,
    make_corpus,
    make_release,
    make_run,
    prediction_ids,
    question,
)

from engine.labelling.items.item_lists import ItemRequest, list_items, similar_items
from store.datasets import datasets, inspections, item_lists
from store.datasets.inspections import Inspected, ToInspect
from store.datasets.item_lists import ItemFilter
from store.errors import NotFound, UsageError
from store.jobs import jobs
from store.records import ItemState

CONTENTS = {
    "a": question("What is the key rate of the bank in March?"),
    "b": question("基金净值2024年第一季度上涨了多少？", topic="funds"),
    "c": question("And then, after the meeting?", turns=2),
    "d": question("What is the key rate of the bank in March"),
    "e": question("基金净值2024年第一季度上涨了多少", topic="funds"),
    "f": question("Who said 100 % of it?", topic="funds"),
}


@pytest.fixture
def db(workspace):
    with workspace.write() as db:
        made = make_release(db, make_corpus(db), "gold", CONTENTS)
        run = make_run(db, made)
        for at, number in enumerate(prediction_ids(db, run)):
            answer_and_score(db, number, [f1(None if at == 0 else at / 10)])
        # the latest text of `f` is a person's
        item, revision = made.items["f"]
        theirs = datasets.revise(
            db, item, revision, question("谁说了ＡＢＣ？", topic="funds"), author="王芳", reason="r"
        )
        datasets.move_head(db, item, revision, theirs)
        db.execute("UPDATE item SET state = 'discarded' WHERE item_key = 'e'")
        yield db


def keys(db, wanted: ItemRequest) -> str:
    found = list_items(db, wanted)
    return "".join(line.item_key for line in item_lists.lines(db, found.items, found.filter))


def filtered(db, **wanted: object) -> str:
    return keys(db, ItemRequest("gold", ItemFilter(**wanted)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, "abcdef"),
        ({"text": "KEY rate"}, "ad"),
        ({"text": "基金"}, "be"),
        ({"text": "abc"}, "f"),
        ({"text": "3.5 per"}, "abcdef"),
        ({"text": "100 %"}, ""),
        ({"text": "question"}, ""),
        ({"states": (ItemState.DISCARDED,)}, "e"),
        ({"topics": ("funds",)}, "bef"),
        ({"tasks": ("conversational",)}, "c"),
        ({"topics": ("rates",), "tasks": ("extractive",)}, "ad"),
        ({"authors": ("王芳",)}, "f"),
        ({"document": "RATES.md"}, "abcdef"),
        ({"document": "bonds"}, ""),
        ({"items": ("d", "a")}, "ad"),
    ],
)
def test_a_list_holds_what_all_its_filters_hold_of(db, wanted, found) -> None:
    assert filtered(db, **wanted) == found


def test_a_list_counts_the_states_of_what_it_holds(db) -> None:
    assert list_items(db, ItemRequest("gold")).states == {"accepted": 5, "discarded": 1}


def test_a_verdict_is_that_of_the_present_text(db) -> None:
    job = jobs.enqueue(db, "inspect", "checks")
    rows = db.execute("SELECT id, head, state, item_key FROM item ORDER BY id").fetchall()
    for (item, head, state, key), verdict in zip(rows, (2, 0, 1, 0, 2, 1), strict=True):
        content = datasets.content(db, head)
        asked = ToInspect(item, head, ItemState(state), key, content, 0, 0)
        inspections.record(db, job.id, asked, Inspected(0, "offline", "parsed", verdict))
    assert filtered(db, verdicts=(0, 1)) == "bcdf"
    assert filtered(db, verdicts=(2,)) == "ae"


def test_scores_of_a_run_choose_items_by_any_of_their_turns(db) -> None:
    wanted = ItemRequest("gold", run="first", metric="f1")
    assert keys(db, wanted) == "bcdef", "what has no value is not there"
    assert keys(db, ItemRequest("gold", run="first", metric="f1", high=0.2)) == "bc"
    assert keys(db, ItemRequest("gold", run="first", metric="f1", low=0.3, high=0.3)) == "c"
    found = list_items(db, wanted)
    scores = [line.score for line in item_lists.lines(db, found.items, found.filter)]
    assert scores == [0.1, 0.2, 0.4, 0.5, 0.6], "the lowest of the turns"


@pytest.mark.parametrize(
    ("wanted", "error", "said"),
    [
        (ItemRequest("gone"), NotFound, "no dataset"),
        (ItemRequest("gold", ItemFilter(topics=("rate",))), NotFound, "Did you mean 'rates'"),
        (ItemRequest("gold", ItemFilter(tasks=("x",))), NotFound, "no task 'x'"),
        (ItemRequest("gold", ItemFilter(authors=("x",))), NotFound, "no author 'x'"),
        (ItemRequest("gold", ItemFilter(items=("x",))), NotFound, "no item 'x'"),
        (ItemRequest("gold", low=0.5), UsageError, "of a metric"),
        (ItemRequest("gold", metric="f1"), UsageError, "of a run"),
        (ItemRequest("gold", run="first", metric="f2"), NotFound, "f2"),
    ],
)
def test_what_there_is_not_is_refused_by_name(db, wanted, error, said) -> None:
    with pytest.raises(error) as raised:
        list_items(db, wanted)
    assert said in str(raised.value)


def test_near_duplicates_come_group_by_group_without_what_is_discarded(db) -> None:
    found = list_items(db, ItemRequest("gold", duplicates="groups"))
    assert keys(db, ItemRequest("gold", duplicates="groups")) == "ad"
    assert sorted(found.groups.values()) == [1, 1]
    states = tuple(ItemState)
    every = ItemRequest("gold", ItemFilter(states=states), duplicates="groups")
    assert keys(db, every) == "adbe"
    later = ItemRequest("gold", ItemFilter(states=states), duplicates="later")
    assert keys(db, later) == "de"


def test_the_items_most_alike_come_first_in_chinese_and_english(db) -> None:
    numbers = {key: datasets.find_item(db, datasets.get(db, "gold"), key) for key in CONTENTS}
    english = similar_items(db, "gold", numbers["a"])
    assert english.content == CONTENTS["a"]
    assert (english.others[0].item_key, english.others[0].similarity) == ("d", 1.0)
    chinese = similar_items(db, "gold", numbers["b"], 1)
    assert [(one.item_key, one.state) for one in chinese.others] == [("e", ItemState.DISCARDED)]


def test_an_item_of_another_dataset_is_not_compared(db) -> None:
    with pytest.raises(NotFound, match="no item with number 99"):
        similar_items(db, "gold", 99)
