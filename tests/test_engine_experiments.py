"""Experiments: arms that share what they have in common, chosen on train and reported on test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    VARIABLE,
    job_now,
    make_workspace,
    provider_table,
    resume,
    system_table,
    write_settings,
)
from endpoint_workspaces import queue as queue_run
from msgspec.structs import replace
from scripted_server import ScriptedServer
from tiny_workspaces import TEXTS, question
from worker_here import work_here

from engine.experiments.design import Design, Factor, arms, rungs
from engine.experiments.experiment_job import RunExperiment
from engine.experiments.judging import metric_judges
from engine.experiments.new_experiment import make_experiment, parse_levels, parse_tied
from engine.experiments.outcome import outcome
from engine.experiments.ranking import against, best_arm, pareto_front
from engine.experiments.recipes import recipe_design
from engine.experiments.sentences import legend, mark, recommendation
from engine.jobs.operation import Budget, dry_run, queue
from engine.judge.judge_job import JudgeRun
from engine.statistics.inference import MIN_GROUPS
from store.errors import Conflict, UsageError
from store.hashing import text_id
from store.jobs.jobs import Job
from store.lifecycle import archiving
from store.lifecycle.purging import purge
from store.records import JobState, PauseReason, ScoreRow, ScoreState
from store.runs import experiments, runs
from store.runs.stages import RetrieveValue
from store.verify import verify
from store.workspace import Workspace, open_workspace
from tui.cli.experiments import RECIPES

DEPTHS = Factor("top_k", ({"top_k": 1}, {"top_k": 2}, {"top_k": 3}))
RETRIEVERS = Factor("retriever", ({"retriever": "bm25"}, {"retriever": "lsa"}))


QUESTIONS = (
    "How far did the rate rise in March?",
    "What happened to bond prices?",
    "Which loans became dearer, and why?",
    "基金净值上涨了多少？",
    "保险公司的保费收入有什么变化？",
    "Who pays more now?",
    "When did borrowing costs go up?",
    "基金规模达到多少亿元？",
    "Name the percentage that the text gives.",
    "Why do investors sell?",
    "保费同比下降的比例是多少？",
    "Did anything fall after the increase?",
)
"""No two alike, so that each has a side of its own."""


def design(*factors: Factor, **fields: Any) -> Design:
    return Design("bm25", {}, factors, ("f1", "recall@1"), **fields)


def test_a_grid_combines_and_one_at_a_time_does_not() -> None:
    base = {"retriever": "bm25", "top_k": 3}
    grid = Design("bm25", base, (DEPTHS, RETRIEVERS), ("f1",))
    assert [name for name, _ in arms(grid)] == [
        "base",
        "top_k=1",
        "top_k=1 retriever=lsa",
        "top_k=2",
        "top_k=2 retriever=lsa",
        "retriever=lsa",
    ]
    single = Design("bm25", base, (DEPTHS, RETRIEVERS), ("f1",), "one-at-a-time")
    assert [name for name, _ in arms(single)] == ["base", "top_k=1", "top_k=2", "retriever=lsa"]


def test_stages_with_other_options_are_arms_of_their_own() -> None:
    levels: list[dict[str, Any]] = [
        {"query": ["tfidf_keywords"]},
        *({"query": [{"stage": "aqe", "n": n}]} for n in (1, 2)),
        {"query": [{"stage": "hyde", "provider": "small", "alpha": 0.3}]},
    ]
    of = Design("lsa", {}, (Factor("query", tuple(levels)),), ("f1",))
    assert [name for name, _ in arms(of)] == [
        "base",
        "query=tfidf_keywords",
        "query=aqe(n=1)",
        "query=aqe(n=2)",
        "query=hyde(provider=small alpha=0.3)",
    ]


def test_halving_ends_with_all_items_and_one_arm() -> None:
    assert rungs(6, 80) == [(20, 3), (40, 2), (80, 1)]
    assert rungs(2, 5) == [(5, 1)]


def test_levels_are_read_from_words() -> None:
    assert parse_levels("top_k=2,x,none") == (
        "top_k",
        ({"top_k": 2}, {"top_k": "x"}, {"top_k": False}),
    )
    assert parse_tied("chunk_size=64+top_k=16,chunk_size=128+top_k=8") == (
        "chunk_size+top_k",
        ({"chunk_size": 64, "top_k": 16}, {"chunk_size": 128, "top_k": 8}),
    )
    assert parse_levels("corpus=tables>context,none") == (
        "corpus",
        ({"corpus": ["tables", "context"]}, {"corpus": False}),
    )
    assert parse_tied("retriever=hybrid:bm25+lsa+reranker=a>b+rerank_depth=50>20") == (
        "retriever+reranker+rerank_depth",
        (
            {
                "retriever": "hybrid:bm25+lsa",
                "reranker": ["a", "b"],
                "rerank_depth": [50, 20],
            },
        ),
    )
    for wrong in ("top_k", "top_k=", "=2"):
        with pytest.raises(UsageError):
            parse_levels(wrong)


def rows(values: list[float]) -> list[ScoreRow]:
    return [
        ScoreRow(f"q{at}", at, 0, 0, f"g{at}", "topic", "task", ScoreState.OK, value)
        for at, value in enumerate(values)
    ]


def test_arms_are_told_apart_from_the_chosen_one_or_not() -> None:
    drawn = np.random.default_rng(5).random(60)
    given = {
        "good": rows(list(drawn)),
        "same": rows([*drawn[:59], 0.0]),
        "bad": rows(list(drawn * 0.5)),
    }
    assert best_arm(given, True) == ("good", {**best_arm(given, True)[1]})  # type: ignore[index]
    assert best_arm(given, False)[0] == "bad"  # type: ignore[index]
    values, turns = against("good", given, True)
    assert turns == 60
    assert {name: value.is_tied for name, value in values.items()} == {
        "good": True,
        "same": True,
        "bad": False,
    }
    assert values["bad"].difference is not None
    assert values["bad"].difference.difference == pytest.approx(drawn.mean() / 2)


def test_the_front_holds_what_nothing_dominates() -> None:
    points = {"best": (3.0, -9.0), "cheap": (1.0, -1.0), "worse": (2.0, -9.0), "twin": (1.0, -1.0)}
    assert pareto_front(points) == {"best", "cheap", "twin"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    items = {
        f"q{number:02}": question(text, topic=("rates", "funds")[number % 2])
        for number, text in enumerate(QUESTIONS)
    }
    return make_workspace(tmp_path / "w", items)


def make(folder: Path, of: Design, name: str = "depths") -> None:
    with open_workspace(folder) as workspace:
        make_experiment(workspace, name, "gold", of)


def work(folder: Path, budget: Budget = Budget(), name: str = "depths") -> Job:  # noqa: B008
    with open_workspace(folder) as workspace:
        job = queue(workspace, RunExperiment(name, budget=budget))
    work_here(folder)
    return job_now(folder, job)


def rows_of(workspace: Workspace) -> list[tuple[object, ...]]:
    return workspace.db.execute(
        "SELECT prediction_id, stage, finished_at FROM stage_result ORDER BY 1, 2"
    ).fetchall()


def test_it_chooses_on_train_and_reports_on_test(folder: Path) -> None:
    make(folder, design(DEPTHS, RETRIEVERS))
    assert work(folder).state is JobState.DONE
    with open_workspace(folder) as workspace:
        result = outcome(workspace.db, "depths")
        assert len(result.arms) == 7
        assert result.train + result.test == 12
        assert 0 < result.train < result.test
        over_all = result.recommendations[0]
        assert over_all.items == result.test
        assert over_all.arm == result.chosen[0]
        assert all(value is not None for arm in result.arms for value in arm.values)
        assert any(arm.on_front for arm in result.arms)
        assert verify(workspace.db).ok
        before = rows_of(workspace)
    work(folder)
    with open_workspace(folder) as workspace:
        assert rows_of(workspace) == before


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is searched for, each time that it is."""
    from engine.retrieve import in_child

    asked: list[object] = []
    retrieve = in_child.retrieve

    def counted(*given: Any) -> Any:
        asked.extend(given[-1])
        return retrieve(*given)

    monkeypatch.setattr(in_child, "retrieve", counted)
    return asked


def test_arms_with_an_equal_search_retrieve_once(folder: Path, searches: list[object]) -> None:
    generators = Factor("history", ({"history": "gold"}, {"generator": "closed-book"}))
    make(folder, design(generators))
    assert work(folder).state is JobState.DONE
    assert len(searches) == 12


def test_arms_of_other_depths_and_later_stages_take_the_beginning_of_the_deepest(
    folder: Path, searches: list[object]
) -> None:
    later = Factor("context", ({"context": ["near_duplicates"]},))
    make(folder, design(DEPTHS, later, how="one-at-a-time"))
    assert work(folder).state is JobState.DONE
    assert len(searches) == 12
    write_settings(folder, system_table("shallow", "extractive", "bm25", top_k=2))
    queue_run(folder, "shallow", name="alone")
    work_here(folder)
    assert len(searches) == 24
    with open_workspace(folder) as workspace:
        shared = runs.get(workspace.db, "depths: top_k=2")
        alone = runs.get(workspace.db, "alone")
        assert retrieved(workspace, shared.id) == retrieved(workspace, alone.id) != {}
        assert verify(workspace.db).ok


def retrieved(workspace: Workspace, run_id: int) -> dict[object, object]:
    rows = workspace.db.execute(
        "SELECT revision_id, value FROM prediction JOIN stage_result ON prediction_id ="
        " prediction.id WHERE run_id = ? AND stage = 'retrieve'",
        (run_id,),
    )
    return dict(rows.fetchall())


def test_a_random_sample_of_another_size_is_drawn_anew(
    folder: Path, searches: list[object]
) -> None:
    drawn = Design("bm25", {"retriever": "sample:bm25+lsa"}, (DEPTHS,), ("recall@1",))
    make(folder, drawn)
    assert work(folder).state is JobState.DONE
    assert len(searches) == 48


def test_a_list_from_which_documents_were_kept_back_is_not_cut(
    tmp_path: Path, searches: list[object]
) -> None:
    hides = (text_id(TEXTS["en/bonds.md"]),)
    folder = make_workspace(
        tmp_path / "w",
        {f"q{at:02}": replace(question(text), hidden=hides) for at, text in enumerate(QUESTIONS)},
    )
    make(folder, design(Factor("top_k", ({"top_k": 1}, {"top_k": 3}))))
    assert work(folder).state is JobState.DONE
    with open_workspace(folder) as workspace:
        deepest = [
            msgspec.json.decode(str(value), type=RetrieveValue)
            for value in retrieved(workspace, runs.get(workspace.db, "depths: base").id).values()
        ]
    anew = [one for one in deepest for k in (1, 3) if one.hidden and len(one.hits) > k]
    assert anew
    assert len(searches) == 12 + len(anew)


def test_halving_works_part_of_the_arms_on_part_of_the_items(folder: Path) -> None:
    make(folder, design(DEPTHS, RETRIEVERS, how="halving"))
    assert work(folder).state is JobState.DONE
    with open_workspace(folder) as workspace:
        experiment = experiments.get(workspace.db, "depths")
        done = [runs.progress(workspace.db, arm.run_id or 0).scored for arm in experiment.arms]
        result = outcome(workspace.db, "depths")
    assert sorted(done)[-1] == 12
    assert sum(count == 12 for count in done) <= 2
    assert min(done) < result.train
    assert result.recommendations[0].value is not None


def test_finalists_alone_come_to_the_test_side(folder: Path) -> None:
    make(folder, design(DEPTHS, finalists=1))
    assert work(folder).state is JobState.DONE
    with open_workspace(folder) as workspace:
        result = outcome(workspace.db, "depths")
        tried = [arm.name for arm in result.arms if arm.values[0] is not None]
    assert set(tried) == {"base", result.chosen[0]}


def test_one_budget_holds_for_all_arms_and_calls_are_shared(folder: Path) -> None:
    with ScriptedServer(default=scripted.answer("3.5 percent", tokens_in=90, tokens_out=10)) as at:
        write_settings(
            folder,
            provider_table("p", f"http://127.0.0.1:{at.port}/v1", **{"limits.max_in_flight": 1}),
            system_table("model", "p", "bm25"),
        )
        # every document is found at either depth, so that the prompts are equal
        depths = Factor("top_k", ({"top_k": 600}, {"top_k": 900}))
        of = Design("model", {"top_k": 700}, (depths,), ("f1",))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(VARIABLE, ENVIRON[VARIABLE])
            make(folder, of)
            with open_workspace(folder) as workspace:
                estimate = dry_run(workspace, RunExperiment("depths"))
                assert (estimate.arms, estimate.calls, estimate.cached) == (3, 36, 24)
            job = work(folder, Budget(max_tokens=700))
            assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)
            asked = len(at.requests)
            assert 0 < asked < 12
            resume(folder, job, Budget(max_tokens=5_000))
            work_here(folder)
        assert job_now(folder, job).state is JobState.DONE
        assert len(at.requests) == 12


def test_the_run_of_an_arm_can_be_purged_and_the_dataset_with_the_experiment(folder: Path) -> None:
    make(folder, design(DEPTHS, finalists=1))
    work(folder)
    with open_workspace(folder) as workspace:
        names = [arm.run_id for arm in experiments.get(workspace.db, "depths").arms if arm.run_id]
        purge(workspace, archiving.find(workspace.db, "run", str(names[0])))
        assert experiments.get(workspace.db, "depths").arms[0].run_id is None
        for name in names[1:]:
            purge(workspace, archiving.find(workspace.db, "run", str(name)))
        removed = purge(workspace, archiving.find(workspace.db, "dataset", "gold"))
        assert removed.counts["experiments"] == 1
        assert experiments.listing(workspace.db) == []
        assert verify(workspace.db).ok


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (design(), "changes nothing"),
        (design(Factor("top_k", ({"top_k": 5},))), "equal the base"),
        (design(Factor("k", tuple({"top_k": k} for k in range(1, 300)))), "arms"),
        (design(DEPTHS, finalists=0), "finalists is 0"),
    ],
)
def test_a_design_without_arms_is_refused(folder: Path, of: Design, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make(folder, of)


def test_an_arm_that_is_no_system_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match=r"arm 'retriever=bm52'.*bm52"):
        make(folder, design(Factor("retriever", ({"retriever": "bm52"},))))


OF_MODELS = ("ekrag-table3", "ekrag-table6", "ekrag-table7")


@pytest.mark.parametrize("name", [name for name in RECIPES if name not in OF_MODELS])
def test_each_recipe_is_an_experiment_with_what_a_workspace_has(folder: Path, name: str) -> None:
    of = recipe_design(folder, name)
    with open_workspace(folder) as workspace:
        made = make_experiment(workspace, name, "gold", of)
        assert len(made.arms) >= 2
    assert of.recipe == name


MODELS = (
    provider_table("one", "http://127.0.0.1:9/v1"),
    provider_table("other", "http://127.0.0.1:9/v1"),
    provider_table("vectors", "http://127.0.0.1:9/v1"),
    '[embeddings.near]\nprovider = "vectors"\n',
    '[rerankers.grader]\nkind = "pointwise"\nprovider = "one"\n',
    '[rerankers.sorter]\nkind = "listwise"\nprovider = "other"\n',
    '[judges.em]\nmethod = "ekrag"\nby = "embedding"\nembedding = "near"\n',
)


def levels(folder: Path, name: str) -> list[str]:
    return [arm for arm, _ in arms(recipe_design(folder, name))]


def test_recipes_take_each_thing_of_a_workspace_and_each_combination(folder: Path) -> None:
    write_settings(folder, *MODELS)
    assert levels(folder, "ekrag-table1") == [
        "base",
        "retriever=lsa",
        "retriever=near",
        "retriever=concat:lsa+near",
    ]
    assert levels(folder, "ekrag-table7") == ["base", "generator=one", "generator=other"]
    assert [arm for arm in levels(folder, "financerag-table1") if "reranker" in arm] == [
        "expansion=keywords reranker=grader rerank_depth=50",
        "expansion=keywords reranker=sorter rerank_depth=50",
        "expansion=keywords reranker=grader+sorter rerank_depth=50+20",
    ]
    assert recipe_design(folder, "ekrag-table8").metrics == (
        "f1",
        "rougeL",
        "em/ekrag_correctness",
    )
    with open_workspace(folder) as workspace:
        for name in RECIPES:
            of = recipe_design(folder, name)
            assert make_experiment(workspace, name, "gold", of).arms


@pytest.mark.parametrize("name", OF_MODELS)
def test_a_recipe_of_models_is_refused_without_one(folder: Path, name: str) -> None:
    with pytest.raises(UsageError) as refused:
        recipe_design(folder, name)
    assert name in refused.value.message
    assert ".NAME]" in refused.value.remedy


JUDGED = replace(design(DEPTHS), metrics=("f1", "gpt/accuracy", "gpt/completeness"))
REPLY = scripted.answer('{"reason": "so", "value": 1}', tokens_in=90, tokens_out=10)


def judged_settings(folder: Path, server: ScriptedServer) -> None:
    table = provider_table("p", server.base_url, **{"limits.max_in_flight": 1})
    write_settings(folder, table, '[judges.gpt]\nmodel = "p"\nmax_tokens = 64\n')


def judge_arms(folder: Path, budget: Budget = Budget()) -> Job:  # noqa: B008
    with open_workspace(folder) as workspace:
        job = queue(workspace, RunExperiment("depths", metric_judges(JUDGED), budget=budget))
    work_here(folder)
    return job_now(folder, job)


def test_the_judges_of_its_metrics_score_the_answers_that_lack_a_score(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, ENVIRON[VARIABLE])
    make(folder, JUDGED)
    assert work(folder).state is JobState.DONE
    with ScriptedServer(default=REPLY) as server:
        judged_settings(folder, server)
        with open_workspace(folder) as workspace:
            assert outcome(workspace.db, "depths").arms[0].values[1] is None
            experiment = RunExperiment("depths", metric_judges(JUDGED))
            estimate = dry_run(workspace, experiment).judging
        assert judge_arms(folder).state is JobState.DONE
        asked = server.count
        judge_arms(folder)
        assert server.count == asked
    assert estimate is not None
    assert estimate.scores == 4 * len(QUESTIONS) * 2
    assert 0 < asked <= estimate.calls
    with open_workspace(folder) as workspace:
        result = outcome(workspace.db, "depths")
        assert all(value is not None for arm in result.arms for value in arm.values)
        assert dry_run(workspace, experiment).judging.scores == 0  # type: ignore[union-attr]


def test_a_bound_holds_for_the_judging_of_all_arms(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, ENVIRON[VARIABLE])
    make(folder, JUDGED)
    with ScriptedServer(default=REPLY) as server:
        judged_settings(folder, server)
        job = judge_arms(folder, Budget(max_tokens=1_000))
        assert (job.state, job.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)
        assert 0 < server.count <= 10
        resume(folder, job, Budget(max_tokens=100_000))
        work_here(folder)
        assert job_now(folder, job).state is JobState.DONE
        with open_workspace(folder) as workspace:
            values = outcome(workspace.db, "depths").arms
            assert all(value is not None for arm in values for value in arm.values)


def test_the_arms_of_a_queued_judging_are_not_judged_beside_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, ENVIRON[VARIABLE])
    make(folder, JUDGED)
    work(folder)
    with ScriptedServer(default=REPLY) as server, open_workspace(folder) as workspace:
        judged_settings(folder, server)
        queue(workspace, RunExperiment("depths", metric_judges(JUDGED)))
        with pytest.raises(Conflict, match="at work on run"):
            queue(workspace, JudgeRun("depths: base", "gpt"))
        with pytest.raises(Conflict, match="at work on run"):
            queue(workspace, RunExperiment("depths", metric_judges(JUDGED)))


def test_a_judge_can_choose(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, ENVIRON[VARIABLE])
    make(folder, replace(JUDGED, metrics=("gpt/accuracy",), finalists=1))
    with ScriptedServer(default=REPLY) as server:
        judged_settings(folder, server)
        assert judge_arms(folder).state is JobState.DONE
    with open_workspace(folder) as workspace:
        assert outcome(workspace.db, "depths").recommendations[0].value is not None


def test_an_experiment_without_a_judges_metric_has_no_judge() -> None:
    with pytest.raises(UsageError, match="No metric of the experiment"):
        metric_judges(design(DEPTHS))


def test_an_arm_that_a_metric_does_not_apply_to_leaves_the_others_their_values(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, ENVIRON[VARIABLE])
    without = Factor("retriever", ({"retriever": False},))
    of = Design("model", {}, (without,), ("f1", "ek/ekrag_faithfulness"))
    with ScriptedServer(default=REPLY) as server:
        write_settings(
            folder,
            provider_table("p", server.base_url),
            system_table("model", "p", "bm25"),
            '[judges.ek]\nmethod = "ekrag"\nmodel = "p"\n',
        )
        make(folder, of)
        with open_workspace(folder) as workspace:
            queue(workspace, RunExperiment("depths", metric_judges(of)))
        work_here(folder)
    with open_workspace(folder) as workspace:
        base, closed_book = outcome(workspace.db, "depths").arms
        assert base.values[1] is not None
        assert closed_book.values[1] is None


def test_too_few_groups_are_said_and_tell_nothing(folder: Path) -> None:
    with open_workspace(folder) as workspace, workspace.write() as db:
        # of five documents, as a corpus of a few long reports
        db.execute("UPDATE item SET group_key = 'document ' || (id % 5)")
    make(folder, design(DEPTHS))
    work(folder)
    with open_workspace(folder) as workspace:
        result = outcome(workspace.db, "depths")
    groups = result.recommendations[0].few_groups
    assert groups is not None
    assert 0 < groups < MIN_GROUPS
    assert f"{groups} groups" in legend(result)
    assert "too few to tell arms apart" in recommendation(result.recommendations[0])
    values = {arm.name: arm.values[0] for arm in result.arms}
    marks = {mark(value, name == result.chosen[0]) for name, value in values.items() if value}
    assert marks == {"*", "?"}
