"""An experiment before it is made: its arms and what they take, with nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest
from endpoint_workspaces import make_workspace
from test_engine_experiments import QUESTIONS
from tiny_workspaces import question

from engine.experiments.experiment_job import RunExperiment
from engine.experiments.new_experiment import make_experiment, parse_factor
from engine.experiments.plan import Wanted, plan
from engine.experiments.recipes import read_recipe, recipe_names
from engine.jobs.operation import dry_run
from store.datasets import splits
from store.errors import UsageError
from store.runs import experiments
from store.workspace import open_workspace
from tui.cli.experiments import RECIPES

WANTED = Wanted("gold@1", "bm25", factors=("retriever=bm25,lsa", "top_k=1,2"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    items = {
        f"q{number:02}": question(text, topic=("rates", "funds")[number % 2])
        for number, text in enumerate(QUESTIONS)
    }
    return make_workspace(tmp_path / "w", items)


def test_a_plan_has_the_arms_and_writes_nothing(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        made = plan(workspace, WANTED)
        assert [name for name, _ in made.changes] == [
            "base",
            "top_k=1",
            "top_k=2",
            "retriever=lsa top_k=1",
            "retriever=lsa top_k=2",
        ]
        assert made.predictions == 5 * len(QUESTIONS)
        assert experiments.listing(workspace.db) == []
        assert splits.listing(workspace.db) == []


def test_once_it_is_made_the_estimate_of_its_job_is_that_of_its_plan(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        make_experiment(workspace, "one", "gold", WANTED.design(folder))
        estimate = dry_run(workspace, RunExperiment("one"))
        made = plan(workspace, WANTED)
    assert (made.arms, made.predictions, made.calls) == (
        estimate.arms,
        estimate.predictions,
        estimate.calls,
    )
    assert made.train > 0 < made.test


def test_a_factor_of_one_key_or_of_several_is_told_by_its_words() -> None:
    assert parse_factor("retriever=lsa,hybrid:bm25+lsa")[1] == (
        {"retriever": "lsa"},
        {"retriever": "hybrid:bm25+lsa"},
    )
    assert parse_factor("chunk_size=64+top_k=16,chunk_size=128+top_k=8")[1] == (
        {"chunk_size": 64, "top_k": 16},
        {"chunk_size": 128, "top_k": 8},
    )
    with pytest.raises(UsageError, match="names no levels"):
        parse_factor("top_k")


def test_the_command_and_the_app_offer_the_same_recipes() -> None:
    assert recipe_names() == sorted(RECIPES)
    assert all(read_recipe(name).title for name in recipe_names())
