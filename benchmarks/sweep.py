"""A sweep of 30 arms beside its distinct stages, each of them done once, one after the other.

Ours is the experiment as a worker does it, from its start to its end with its child processes: what
is stored, shared among arms, waited for and begun is part of it. The peer is what could not be left
out: every index built once, every question searched for once by each retriever over each chunking,
and every arm's answers and scores, in one process that has all code loaded and stores nothing. Both
begin without an index. The clock of ours gains by child processes, its processor time does not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import pairs
from engine.answer.history import visible_history
from engine.evaluate import pool_tasks
from engine.evaluate.pool_tasks import ToAnswer, ToScore
from engine.experiments.design import Design, Factor, read_design
from engine.experiments.experiment_job import RunExperiment
from engine.experiments.new_experiment import arm_system, make_experiment
from engine.importers.sample import load_sample
from engine.jobs.operation import queue
from engine.jobs.pool import LARGEST, use_folder
from engine.retrieve import in_child
from engine.retrieve.in_child import ToRetrieve
from engine.retrieve.stages import first_state, plain_search
from store.corpora import corpora
from store.datasets import datasets
from store.jobs import jobs
from store.records import HistoryMode, Hit, ItemContent, JobState
from store.runs import experiments
from store.systems import Retrieval, SystemConfig
from store.workspace import open_workspace

NAME = "sweep"
TARGET = 1.3
POLL_S = 0.05


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=3)
    args = parser.parse_args()
    retrievers = ("bm25", "lsa", "hybrid:bm25+lsa")
    depths, sizes = (1, 2, 3, 5, 8), (128, 256)
    if args.quick:
        retrievers, depths, sizes, args.pairs = ("bm25",), (1, 2), (256,), 1
    factors = (
        Factor("retriever", tuple({"retriever": one} for one in retrievers)),
        Factor("top_k", tuple({"top_k": depth} for depth in depths)),
        Factor("chunk_size", tuple({"chunk_size": size} for size in sizes)),
    )
    design = Design("bm25", {}, factors, ("f1", "recall@5"))
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        with open_workspace(base / "made", create=True) as workspace:
            release = load_sample(workspace)
            made = make_experiment(workspace, NAME, release.label, design)
            queue(workspace, RunExperiment(NAME))
        count = len(made.arms) * release.items
        found = pairs.alternate(
            lambda pair: _sweep(_copy(base, f"ours{pair}")),
            lambda pair: _stages(_copy(base, f"peer{pair}")),
            args.pairs,
            warm=False,
        )
    what = f"a prediction of {len(made.arms)} arms; distinct stages"
    pairs.print_table("peer", [pairs.slower_line(what, found, "", count, TARGET)])


def _copy(base: Path, name: str) -> Path:
    """The workspace with the queued experiment, before any work."""
    folder = base / name
    shutil.copytree(base / "made", folder)
    return folder


def _sweep(folder: Path) -> pairs.Cost:
    """The experiment as a worker and its child processes do it."""
    watch = pairs.Stopwatch()
    worker = subprocess.Popen([sys.executable, "-m", "engine.jobs.worker", str(folder)])
    with open_workspace(folder) as workspace:
        while jobs.get(workspace.db, 1).state in (JobState.QUEUED, JobState.RUNNING):
            time.sleep(POLL_S)
            if worker.poll() is not None:
                raise SystemExit("the worker has ended before the sweep")
        wall = watch.cost.wall
        assert jobs.get(workspace.db, 1).state is JobState.DONE
    worker.terminate()
    _, _, usage = os.wait4(worker.pid, 0)
    return pairs.Cost(wall, usage.ru_utime + usage.ru_stime)


def _stages(folder: Path) -> pairs.Cost:
    """Every distinct stage of the experiment once, in this process."""
    use_folder(folder)
    with open_workspace(folder) as workspace:
        experiment = experiments.get(workspace.db, NAME)
        design = read_design(experiment)
        systems = [arm_system(folder, design, arm) for arm in experiment.arms]
        release = datasets.release_by_id(workspace.db, experiment.release_id)
        dataset = datasets.get_by_id(workspace.db, release.dataset_id)
        corpus = corpora.get_by_id(workspace.db, dataset.corpus_id)
        fingerprint = corpora.fingerprint(workspace.db, corpus)
        contents = [item.content for item in datasets.released_items(workspace.db, release.id)]
    return pairs.measure(lambda: _work(corpus.id, fingerprint, systems, contents))


def _work(
    corpus_id: int, fingerprint: str, systems: list[SystemConfig], contents: list[ItemContent]
) -> None:
    deepest: dict[Retrieval, int] = {}
    for system in systems:
        retrieval, depth = plain_search(system)
        deepest[retrieval] = max(depth, deepest.get(retrieval, 0))
    turns = [
        (
            content,
            content.turns[number],
            # golden answers stand in for a system's own earlier ones
            visible_history(content.turns, number, HistoryMode.GOLD, ()),
            number,
        )
        for content in contents
        for number in range(len(content.turns))
    ]
    found: dict[Retrieval, list[tuple[Hit, ...]]] = {}
    for retrieval, depth in deepest.items():
        in_child.prepare_index(corpus_id, retrieval, fingerprint)
        asked = [
            ToRetrieve(first_state(content, number, history, systems[0]).queries, content.hidden)
            for content, _, history, number in turns
        ]
        found[retrieval] = [
            one.visible.hits
            for start in range(0, len(asked), LARGEST)
            for one in in_child.retrieve(
                corpus_id, retrieval, fingerprint, depth, asked[start : start + LARGEST]
            )
        ]
    for system in systems:
        retrieval, depth = plain_search(system)
        to_score = []
        for (content, turn, history, _), hits in zip(turns, found[retrieval], strict=True):
            lang, read = content.lang, hits[:depth]
            to_answer = ToAnswer(corpus_id, system.generator, lang, turn.question, history, read)
            (made,) = pool_tasks.answer([to_answer])
            to_score.append(
                ToScore(corpus_id, turn, history, made.answer.text, read, lang, system.top_k)
            )
        for start in range(0, len(to_score), LARGEST):
            pool_tasks.score(to_score[start : start + LARGEST])


if __name__ == "__main__":
    main()
