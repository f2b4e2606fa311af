"""Weights of a fusion: which are tried, chosen on train alone, reported on test, and refused."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from endpoint_workspaces import make_workspace, system_table, write_settings
from msgspec.structs import replace
from test_engine_experiments import QUESTIONS
from tiny_workspaces import question

from engine.evaluate.systems import find_system
from engine.experiments.fusion_weights import WeightSearch, tune_weights, weights
from engine.retrieve.fusion import fuse
from engine.retrieve.pipeline import open_retriever
from engine.splitting.dataset import split_dataset
from store.corpora import corpora
from store.datasets import splits
from store.errors import NotFound, UsageError
from store.systems import Retrieval
from store.workspace import open_workspace
from tui.cli import main

BOTH = WeightSearch("both", "gold", "ndcg@3")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = {f"q{number:02}": question(text) for number, text in enumerate(QUESTIONS)}
    made = make_workspace(tmp_path_factory.mktemp("weights") / "w", items)
    write_settings(
        made,
        system_table("both", "extractive", "hybrid:bm25+lsa"),
        system_table("normalised", "extractive", "minmax:lsa+bm25"),
    )
    with open_workspace(made) as workspace:
        split_dataset(workspace, "gold")
    return made


def test_weights_are_all_multiples_that_sum_to_one() -> None:
    search = replace(BOTH, steps=4)
    assert weights(2, search) == [(0.25, 0.75), (0.5, 0.5), (0.75, 0.25)]
    assert weights(3, search) == [(0.25, 0.25, 0.5), (0.25, 0.5, 0.25), (0.5, 0.25, 0.25)]


def test_too_many_weights_are_drawn_by_the_seed() -> None:
    search = replace(BOTH, steps=100, most=50)
    drawn = weights(3, search)
    assert len(drawn) == 50
    assert drawn == weights(3, search) != weights(3, replace(search, seed=1))
    assert all(min(one) > 0 and sum(one) == pytest.approx(1, abs=0.002) for one in drawn)


def test_the_best_weights_of_the_train_side_are_reported_on_the_test_side(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        tuned = tune_weights(workspace, BOTH)
        sides = splits.members(workspace.db, splits.get(workspace.db, "gold"))
        corpus = corpora.get(workspace.db, "tiny")
        bm25, lsa = (open_retriever(workspace, corpus, Retrieval(name)) for name in ("bm25", "lsa"))
    count = [one.side for one in sides].count
    assert (tuned.tried, tuned.train, tuned.test) == (10, count("train"), count("test"))
    names = [one.retriever for one in tuned.compared]
    assert names[0] == tuned.retriever
    assert {"bm25", "lsa", "hybrid:bm25+lsa"} <= set(names)
    best = tuned.compared[0]
    assert best.value.difference is None
    assert best.train_mean == max(one.train_mean for one in tuned.compared if "+" in one.retriever)
    # what was joined anew is what a search with these weights gives
    query = QUESTIONS[0]
    with open_workspace(folder) as workspace:
        both = open_retriever(workspace, corpus, Retrieval("hybrid:bm25*0.3+lsa*0.7"))
        anew = fuse([one.search([query], 100)[0] for one in (bm25, lsa)], (0.3, 0.7), 3)
        assert [hit.chunk_id for hit in both.search([query], 3)[0]] == [
            hit.chunk_id for hit in anew
        ]


def test_the_test_side_has_no_say(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.experiments import fusion_weights

    seen: list[str] = []
    rows = fusion_weights._Tuning.rows

    def noted(self: Any, chosen: Any, turns: Any) -> Any:
        seen.append("".join(sorted(turn.item.item_key for turn in turns)))
        return rows(self, chosen, turns)

    monkeypatch.setattr(fusion_weights._Tuning, "rows", noted)
    with open_workspace(folder) as workspace:
        tuned = tune_weights(workspace, BOTH)
    assert len(set(seen[: tuned.tried])) == 1, "weights are chosen on one set of items"
    assert set(seen[: tuned.tried]) < set(seen)


def test_the_tuned_retriever_can_stand_in_settings(folder: Path, tmp_path: Path) -> None:
    with open_workspace(folder) as workspace:
        tuned = tune_weights(workspace, replace(BOTH, system="normalised", metric="mrr"))
    write_settings(tmp_path, system_table("tuned", "extractive", tuned.retriever))
    assert find_system(tmp_path, "tuned").retriever == tuned.retriever


def test_nothing_is_chosen_without_a_split(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "w", {"q": question()})
    write_settings(folder, system_table("both", "extractive", "hybrid:bm25+lsa"))
    with open_workspace(folder) as workspace, pytest.raises(NotFound) as refused:
        tune_weights(workspace, BOTH)
    assert refused.value.command == "ragdesk split --dataset gold"


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (replace(BOTH, system="bm25"), "has no weights"),
        (replace(BOTH, system="closed-book"), "retrieves nothing"),
        (replace(BOTH, metric="f1"), "no metric of a ranking"),
        (replace(BOTH, metric="ndgc@3"), "no metric 'ndgc@3'"),
        (replace(BOTH, steps=1), "There are 1 steps"),
        (replace(BOTH, most=0), "0 weights at most"),
    ],
)
def test_what_cannot_be_tuned_is_refused(folder: Path, search: WeightSearch, words: str) -> None:
    with open_workspace(folder) as workspace, pytest.raises(UsageError, match=words):
        tune_weights(workspace, search)


def test_stages_around_the_fusion_are_refused(tmp_path: Path, folder: Path) -> None:
    text = (folder / "ragdesk.toml").read_text("utf-8")
    stages = system_table("staged", "extractive", "hybrid:bm25+lsa", query=["tfidf_keywords"])
    (folder / "ragdesk.toml").write_text(f"{text}\n{stages}", "utf-8")
    with open_workspace(folder) as workspace, pytest.raises(UsageError, match="stages of `query`"):
        tune_weights(workspace, replace(BOTH, system="staged"))


def test_the_command_prints_the_line_for_the_settings(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("experiment", "weights", "--system", "both", "--dataset", "gold", "--metric", "mrr")
    assert main(["--workspace", str(folder), *words]) == 0
    said = capsys.readouterr().out
    assert main(["--workspace", str(folder), "--json", *words]) == 0
    tuned = json.loads(capsys.readouterr().out)
    assert f'in [systems.both] of ragdesk.toml: retriever = "{tuned["retriever"]}"' in said
    assert tuned["search"]["seed"] == 0


def test_the_tuned_system_is_kept_by_a_new_name(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "w"
    shutil.copytree(folder, copy)
    words = ("--workspace", str(copy), "--json", "experiment", "weights", "--system", "both")
    words = (*words, "--dataset", "gold", "--metric", "mrr", "--save", "tuned")
    assert main(words) == 0
    tuned = json.loads(capsys.readouterr().out)
    saved, own = find_system(copy, "tuned"), find_system(copy, "both")
    assert saved.retriever == tuned["retriever"]
    assert (saved.generator, saved.top_k) == (own.generator, own.top_k)
    written = (copy / "ragdesk.toml").read_bytes()
    assert main(words) == 2
    assert "There is a system 'tuned' already" in capsys.readouterr().err
    assert (copy / "ragdesk.toml").read_bytes() == written
