"""FinanceRAG's grid as one experiment over FinanceBench and one over TAT-QA, with the authors'
keywords. Paraphrases, made-up passages, grades and orders are a script's, which counts words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
import scripted_server as scripted
from endpoint_workspaces import ENVIRON, VARIABLE, provider_table, system_table, write_settings
from scripted_server import Reply, Request, ScriptedServer
from worker_here import work_here

from engine.experiments.experiment_job import RunExperiment
from engine.experiments.new_experiment import make_experiment
from engine.experiments.outcome import ExperimentOutcome, outcome
from engine.experiments.recipes import recipe_design
from engine.importers.beir import import_beir
from engine.jobs.operation import queue
from engine.results.metric_query import MetricQuery
from engine.results.run_comparison import unit_scores
from engine.taxonomy.definitions import load_taxonomy
from engine.text.content_words import is_content
from store.runs import runs
from store.workspace import Workspace, open_workspace

DATA = Path(__file__).parents[2] / "shared/data"
KEYWORDS, TABLES = "expansion=keywords", "corpus=tables"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"{DATA} is not there"),
]


class Grid(NamedTuple):
    workspace: Workspace
    name: str
    outcome: ExperimentOutcome

    def mean(self, arm: str) -> float:
        """nDCG@10 of an arm over all items that have keywords."""
        run = runs.get(self.workspace.db, f"{self.name}: {arm}")
        key = MetricQuery("ndcg@10").key(self.workspace.db, run.id)
        rows = unit_scores(self.workspace.db, run, key, "has_keywords", "task")
        values = [row.value for row in rows if row.row == "true" and row.value is not None]
        return sum(values) / len(values)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    place = tmp_path_factory.mktemp("financerag")
    with (
        ScriptedServer(reply=reply) as server,
        pytest.MonkeyPatch.context() as patch,
        open_workspace(place / "w", create=True) as opened,
    ):
        patch.setenv(VARIABLE, ENVIRON[VARIABLE])
        write_settings(
            opened.folder,
            provider_table("script", server.base_url),
            system_table("base", "script", "bm25"),
            '[rerankers.grader]\nkind = "pointwise"\nprovider = "script"\n',
            '[rerankers.sorter]\nkind = "listwise"\nprovider = "script"\n',
        )
        yield opened


def grid(workspace: Workspace, name: str, folder: Path, keywords: Path, qrels: Path) -> Grid:
    """The experiment over a data set, worked to its end."""
    import_beir(
        workspace,
        folder,
        corpus_name=name,
        dataset_name=name,
        taxonomy=load_taxonomy("omnieval"),
        qrels=qrels,
        expansions={"keywords": keywords},
        author="test",
    )
    make_experiment(workspace, name, name, recipe_design(workspace.folder, NAME, "base"))
    queue(workspace, RunExperiment(name))
    work_here(workspace.folder)
    return Grid(workspace, name, outcome(workspace.db, name))


NAME = "financerag-table1"


def test_keywords_help_on_financebench(workspace: Workspace) -> None:
    folder = DATA / "en_financerag/FinanceBench"
    keywords, qrels = (folder / name for name in ("queries_prep.jsonl", "qrels_full.tsv"))
    made = grid(workspace, "FinanceBench", folder, keywords, qrels)
    assert (round(made.mean("base"), 3), round(made.mean(KEYWORDS), 3)) == (0.317, 0.432)
    check(made)


def test_keywords_help_on_tatqa(workspace: Workspace, tmp_path: Path) -> None:
    folder, keywords = DATA / "en_tatqa", tmp_path / "keywords.jsonl"
    queries = map(json.loads, (folder / "queries.jsonl").open(encoding="utf-8"))
    given = [(query["_id"], query["meta"]["keywords_gpt4o_mini"]) for query in queries]
    lines = [json.dumps({"_id": key, "text": text}) for key, text in given if text]
    keywords.write_text("\n".join(lines), "utf-8")
    made = grid(workspace, "TATQA", folder, keywords, folder / "qrels.tsv")
    assert (round(made.mean("base"), 3), round(made.mean(KEYWORDS), 3)) == (0.710, 0.762)
    assert made.mean(TABLES) < made.mean(f"{KEYWORDS} {TABLES}") < made.mean(KEYWORDS)
    check(made)


def check(made: Grid) -> None:
    """Every cell of the grid is scored, and the gain of what was chosen on train is significant."""
    assert len(made.outcome.arms) == 17
    assert sum("reranker=" in arm.name for arm in made.outcome.arms) == 3
    assert all(value is not None for arm in made.outcome.arms for value in arm.values)
    over_all = made.outcome.recommendations[0]
    assert over_all.arm == KEYWORDS
    assert over_all.base is not None
    assert over_all.base.difference is not None
    assert (over_all.base.difference.p_holm or 0) < 0.05


WORDS = re.compile(r"[A-Za-z][\w&'-]+|\d[\d,.]*")
OTHER_WORDS = {"revenue": "sales", "total": "overall", "change": "difference", "increase": "growth"}


def reply(request: Request) -> Reply:
    """What the script says to each of the program's prompts."""
    system, user = (message["content"] for message in request.body["messages"][:2])
    asked = re.search(r"Question: (.*?)(?:\n\n|\Z)", user, re.DOTALL)
    question = asked[1] if asked else user
    if user.endswith("Grade:"):
        return scripted.answer(str(round(10 * shared(question, user.split("Passage:", 1)[1]))))
    if "Order of all" in user:
        numbered = re.split(r"\n?\[(\d+)\] ", user.split("passages:", 1)[1])
        shares = dict(zip(numbered[1::2], numbered[2::2], strict=True))
        order = sorted(shares, key=lambda number: -shared(question, shares[number]))
        return scripted.answer(" > ".join(f"[{number}]" for number in order))
    if user.endswith("Keywords:"):
        return scripted.answer(", ".join(words(question))[:80])
    if user.endswith("In other words:"):
        said = [OTHER_WORDS.get(word.lower(), word) for word in question.split()]
        return scripted.answer(f"Please tell: {' '.join(said)}")
    if system.startswith("You write a passage"):
        return scripted.answer(f"The annual report states {' '.join(words(question))}.")
    return scripted.answer("The documents do not say.")


def words(text: str) -> list[str]:
    return [word for word in WORDS.findall(text) if is_content(word.lower())]


def shared(question: str, passage: str) -> float:
    """The share of the question's words that the passage has."""
    own = {word.lower() for word in words(question)}
    return len(own & {word.lower() for word in words(passage)}) / max(1, len(own))
