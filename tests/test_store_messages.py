"""What is said of a name that is not there, or that cannot be one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest
from msgspec import structs

from engine.judge.light.folder import check_name
from engine.labelling.session import LabelSession
from engine.taxonomy.definitions import load_taxonomy
from store.corpora import corpora, taxonomies
from store.datasets import datasets, splits
from store.datasets.splits import Side
from store.errors import UsageError
from store.labels.log.events import Subject
from store.labels.samples import samples
from store.messages import choices, listed, nearest, no_such, plural
from store.runs import runs
from store.runs.stages import put_judge
from store.workspace import Workspace


def test_the_nearest_name_is_asked_about_before_the_list():
    error = no_such("corpus", "smaple", ["finance", "sample"], "Corpora here")
    assert isinstance(error, UsageError)
    assert error.message == "There is no corpus 'smaple'."
    assert error.remedy == "Did you mean 'sample'? Corpora here: finance, sample."


def test_where_no_name_is_near_only_the_list_is_given():
    assert choices("xyz", ["finance", "sample"], "Corpora here") == "Corpora here: finance, sample."
    assert choices("xyz", [], "Corpora here") == "Corpora here: none yet."


@pytest.mark.parametrize(
    ("given", "known", "meant"),
    [
        ("sample@1", ["finance", "sample"], "sample"),
        ("FUND", ["bond", "fund"], "fund"),
        ("基金投资", ["股票市场", "基金投资额"], "基金投资额"),
        ("\uff46\uff55\uff4e\uff44", ["bond", "fund"], "fund"),
        ("12", ["run-1", "run-2"], ""),
        (12, [11, 34], ""),
        (121, [12, 34], "12"),
    ],
)
def test_what_was_meant(given: object, known: list[object], meant: str):
    assert nearest(given, known) == meant


def test_a_short_list_is_whole_and_a_long_one_counts_what_it_leaves_out():
    names = [f"run-{number}" for number in range(1_234)]
    assert listed(names[:20]) == ", ".join(names[:20])
    assert listed(names) == f"{', '.join(names[:10])} and 1,224 more"
    # the nearest is sought among all of them
    assert choices("run-1222x", names, "Runs here").startswith("Did you mean 'run-1222'? Runs here")


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0 labels"), (1, "1 label"), (2, "2 labels"), (1200, "1,200 labels")],
)
def test_the_word_follows_the_number(number: int, said: str) -> None:
    assert plural(number, "label") == said


def test_a_name_may_have_a_plural_of_its_own() -> None:
    assert (plural(1, "query", "queries"), plural(3, "query", "queries")) == (
        "1 query",
        "3 queries",
    )


NAMES = ("c\x1b]0;x", "\u202eabc", "a\x9bb", "a\nb", "\x7f", "a\u200fb", " ")
CREATORS: dict[str, Callable[[sqlite3.Connection, str], object]] = {
    "corpus": corpora.create,
    "dataset": lambda db, name: datasets.create(db, name, 1, 1),
    "run": runs.check_name,
    "sample": lambda db, name: samples.create(db, name, "inspection", "revision", {}),
    "split": lambda db, name: splits.create(db, name, (Side("a", 1), Side("b", 1)), 0),
    "side": lambda db, name: splits.create(db, "s", (Side(name, 1), Side("b", 1)), 0),
    "judge": lambda db, name: put_judge(db, name, {}),
    "trained judge": lambda _, name: check_name(name),
    "taxonomy": lambda db, name: taxonomies.put(
        db, structs.replace(load_taxonomy("crud"), key=name)
    ),
}


@pytest.mark.parametrize("kind", CREATORS)
def test_a_name_that_cannot_be_shown_as_it_is_is_refused_at_birth(
    kind: str, workspace: Workspace
) -> None:
    for name in NAMES:
        with pytest.raises(UsageError), workspace.write() as db:
            CREATORS[kind](db, name)


def test_a_rater_whose_name_cannot_be_shown_gives_no_label(workspace: Workspace) -> None:
    session = LabelSession(workspace, "inspection", "li\x1b[2J")
    with pytest.raises(UsageError, match="cannot name a rater"):
        session.set(Subject("revision", "1"), "score", 3)
