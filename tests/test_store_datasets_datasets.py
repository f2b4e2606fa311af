"""Datasets: items, revisions that are never changed, releases that freeze them."""

from __future__ import annotations

import sqlite3

import pytest
from tiny_workspaces import TAXONOMY, Released, question

from store.corpora import taxonomies
from store.corpora.corpora import Corpus
from store.datasets import datasets
from store.datasets.datasets import Dataset
from store.errors import Conflict, InputError, NotFound, UsageError
from store.hashing import content_hash
from store.records import ITEM_TRANSITIONS, ItemContent, ItemState
from store.workspace import Workspace


@pytest.fixture
def dataset(workspace: Workspace, corpus: Corpus) -> Dataset:
    """A dataset without an item."""
    with workspace.write() as db:
        return datasets.create(db, "empty", corpus.id, taxonomies.put(db, TAXONOMY))


def add(
    workspace: Workspace,
    dataset: Dataset,
    key: str,
    content: ItemContent | None = None,
    state: ItemState = ItemState.ACCEPTED,
) -> int:
    with workspace.write() as db:
        return datasets.add_item(
            db, dataset, key, key, content or question(), author="t", reason="r", state=state
        )


def head(workspace: Workspace, item: int) -> int:
    return int(workspace.db.execute("SELECT head FROM item WHERE id = ?", (item,)).fetchone()[0])


def propose(workspace: Workspace, item: int, parent: int, text: str = "Better?") -> int:
    with workspace.write() as db:
        return datasets.revise(db, item, parent, question(text), author="t", reason="clearer")


# Names


@pytest.mark.parametrize("name", ["a@2", "@", "", "  "])
def test_a_name_that_would_read_as_a_version_is_refused(
    workspace: Workspace, corpus: Corpus, name: str
) -> None:
    with pytest.raises(UsageError, match="without `@`"), workspace.write() as db:
        datasets.create(db, name, corpus.id, taxonomies.put(db, TAXONOMY))


def test_a_taken_name_is_refused(workspace: Workspace, dataset: Dataset) -> None:
    with pytest.raises(UsageError, match=r"exists already.*another name"), workspace.write() as db:
        datasets.create(db, "empty", dataset.corpus_id, dataset.taxonomy_id)


def test_an_unknown_dataset_is_answered_with_those_that_there_are(
    workspace: Workspace, dataset: Dataset
) -> None:
    assert datasets.listing(workspace.db) == [dataset]
    assert datasets.get_by_id(workspace.db, dataset.id) == dataset
    with pytest.raises(NotFound, match="Datasets here: empty"):
        datasets.get(workspace.db, "gold")
    with pytest.raises(NotFound):
        datasets.get_by_id(workspace.db, 99)


# Items and revisions


def test_an_item_starts_with_its_first_revision(workspace: Workspace, dataset: Dataset) -> None:
    content = question("问题？", topic="funds", turns=2, hops=2)
    item = add(workspace, dataset, "a", content)
    row = workspace.db.execute(
        "SELECT id, number, parent, topic, task, lang, turns, content_hash FROM revision"
    ).fetchone()
    assert row[1:] == (1, None, "funds", "conversational", "en", 2, content_hash(content))
    assert head(workspace, item) == row[0]
    assert datasets.content(workspace.db, row[0]) == content


def test_an_item_is_never_overwritten(workspace: Workspace, dataset: Dataset) -> None:
    add(workspace, dataset, "a")
    with pytest.raises(Conflict, match="already holds an item 'a'"):
        add(workspace, dataset, "a", question("Another?"))
    assert datasets.state_counts(workspace.db, dataset) == {"accepted": 1}


def test_an_item_without_a_question_is_refused_whole(
    workspace: Workspace, dataset: Dataset
) -> None:
    with pytest.raises(InputError, match="no turn"):
        add(workspace, dataset, "a", ItemContent(turns=()))
    assert datasets.state_counts(workspace.db, dataset) == {}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE revision SET reason = 'x'",
        "INSERT OR REPLACE INTO revision SELECT id, item_id, number, parent, 'somebody', reason,"
        " created_at, topic, task, lang, turns, content, content_hash FROM revision",
    ],
)
def test_a_revision_is_never_changed(
    workspace: Workspace, dataset: Dataset, statement: str
) -> None:
    add(workspace, dataset, "a")
    with pytest.raises(sqlite3.IntegrityError, match="a revision is never"):
        workspace.db.execute(statement)
    assert workspace.db.execute("SELECT author, reason FROM revision").fetchall() == [("t", "r")]


def test_a_proposal_leaves_the_head_where_it_is(workspace: Workspace, dataset: Dataset) -> None:
    item = add(workspace, dataset, "a")
    first = head(workspace, item)
    second = propose(workspace, item, first)
    third = propose(workspace, item, first, "Another rater's?")
    assert head(workspace, item) == first
    rows = workspace.db.execute("SELECT id, number, parent FROM revision ORDER BY id").fetchall()
    assert rows == [(first, 1, None), (second, 2, first), (third, 3, first)]


def test_a_stale_parent_is_refused(workspace: Workspace, dataset: Dataset) -> None:
    item = add(workspace, dataset, "a")
    first = head(workspace, item)
    second, third = propose(workspace, item, first), propose(workspace, item, first, "Other?")
    with workspace.write() as db:
        datasets.move_head(db, item, first, second)
    assert head(workspace, item) == second
    with pytest.raises(Conflict, match="Look at it again"), workspace.write() as db:
        datasets.move_head(db, item, first, third)
    with pytest.raises(Conflict, match="Look at it again"):
        propose(workspace, item, first)
    assert head(workspace, item) == second


def test_a_head_is_one_of_the_items_own_revisions(workspace: Workspace, dataset: Dataset) -> None:
    one, two = add(workspace, dataset, "a"), add(workspace, dataset, "b")
    with pytest.raises(Conflict), workspace.write() as db:
        datasets.move_head(db, one, head(workspace, one), head(workspace, two))
    with pytest.raises(Conflict):
        propose(workspace, one, head(workspace, two))
    with pytest.raises(NotFound):
        propose(workspace, 99, head(workspace, two))
    with pytest.raises(NotFound):
        datasets.content(workspace.db, 99)


@pytest.mark.parametrize("before", ItemState)
@pytest.mark.parametrize("after", ItemState)
def test_an_items_state_moves_as_designed(
    workspace: Workspace, dataset: Dataset, before: ItemState, after: ItemState
) -> None:
    item = add(workspace, dataset, "a", state=before)
    if after in ITEM_TRANSITIONS[before]:
        with workspace.write() as db:
            datasets.set_state(db, item, before, after)
        expected = after
    else:
        with pytest.raises(Conflict, match="cannot become"), workspace.write() as db:
            datasets.set_state(db, item, before, after)
        expected = before
    assert datasets.state_counts(workspace.db, dataset) == {expected: 1}


def test_a_state_that_somebody_else_moved_is_not_moved_again(
    workspace: Workspace, dataset: Dataset
) -> None:
    item = add(workspace, dataset, "a", state=ItemState.DISCARDED)
    with pytest.raises(Conflict, match="no longer drafted"), workspace.write() as db:
        datasets.set_state(db, item, ItemState.DRAFTED, ItemState.ACCEPTED)


# Releases


def test_a_release_freezes_the_accepted_heads(workspace: Workspace, dataset: Dataset) -> None:
    kept = add(workspace, dataset, "a")
    add(workspace, dataset, "b", state=ItemState.DRAFTED)
    with workspace.write() as db:
        release = datasets.release(db, dataset, "first")
    assert (release.label, release.items) == ("empty@1", 1)
    first = head(workspace, kept)
    second = propose(workspace, kept, first)
    with workspace.write() as db:
        datasets.move_head(db, kept, first, second)
    (item,) = datasets.released_items(workspace.db, release.id)
    assert (item.item_id, item.revision_id, item.item_key) == (kept, first, "a")
    assert item.content == question()
    with workspace.write() as db:
        assert datasets.release(db, dataset).label == "empty@2"
    assert [found.items for found in datasets.releases(workspace.db, dataset)] == [1, 1]


def test_an_unchanged_dataset_is_not_released_again(
    workspace: Workspace, released: Released
) -> None:
    with (
        pytest.raises(InputError, match="gold@1 already holds exactly these items"),
        workspace.write() as db,
    ):
        datasets.release(db, released.dataset)
    add(workspace, released.dataset, "later", state=ItemState.DRAFTED)
    with pytest.raises(InputError, match="already holds"), workspace.write() as db:
        datasets.release(db, released.dataset)


def test_nothing_accepted_is_nothing_to_release(workspace: Workspace, dataset: Dataset) -> None:
    add(workspace, dataset, "a", state=ItemState.DRAFTED)
    with (
        pytest.raises(InputError, match=r"no accepted item.*Accept items"),
        workspace.write() as db,
    ):
        datasets.release(db, dataset)


def test_releases_are_found_by_label(workspace: Workspace, released: Released) -> None:
    add(workspace, released.dataset, "more")
    with workspace.write() as db:
        second = datasets.release(db, released.dataset)
    found = datasets.find_release
    assert found(workspace.db, "gold@1") == released.release
    assert found(workspace.db, "gold") == found(workspace.db, "gold@2") == second
    assert datasets.release_by_id(workspace.db, second.id) == second


@pytest.mark.parametrize("label", ["gold@3", "gold@0", "gold@x", "gold@1@1", "gold@01"])
def test_an_unknown_version_is_answered_with_those_that_there_are(
    workspace: Workspace, released: Released, label: str
) -> None:
    with pytest.raises(NotFound, match="Releases: gold@1"):
        datasets.find_release(workspace.db, label)
    with pytest.raises(NotFound):
        datasets.release_by_id(workspace.db, 99)


def test_an_unreleased_dataset_names_the_command_that_releases_it(
    workspace: Workspace, dataset: Dataset
) -> None:
    with pytest.raises(InputError, match="Release it first"):
        datasets.find_release(workspace.db, "empty")
