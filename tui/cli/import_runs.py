"""The commands that import runs and what judges them: predictions, trec-run, omnieval, crud,
ragchecker, scores, question-sets."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from tui.cli.command import Argument, command, option
from tui.cli.import_datasets import import_omnieval_items
from tui.cli.importing import asked_for, bring_in, imports, show_outcome
from tui.cli.options import FOLLOW_LINKS, detach_option, taxonomy_option, workspace_of
from tui.cli.output import print_json, print_line, say
from tui.language import tr

if TYPE_CHECKING:
    from store.workspace import Workspace


_DATASET = option("--dataset NAME[@V]", "dataset, or release, that was answered", required=True)
_SYSTEM = option("--system NAME", "name of the system that answered (default: the run's name)")
_SCORING = detach_option("scoring runs in the background")
_RUN = (
    option("--run NAME", "name of the new run", dest="run_name", required=True),
    _DATASET,
    _SYSTEM,
    _SCORING,
)
_DEPTH = option(
    "--k N", "largest k of ndcg@k and other ranking metrics (default: at most 10)", dest="depth"
)


def _made_options(*, taxonomy: str, judge: str) -> tuple[Argument, ...]:
    """Returns the options on what is made from the files of an evaluation."""
    return (
        option("--corpus NAME", "make the dataset from the files, about this corpus"),
        option(
            "--judge NAME",
            tr("name of the judge that gave their scores (default {judge})", judge=judge),
            judge,
        ),
        taxonomy_option(taxonomy, of="taxonomy of a new dataset"),
        FOLLOW_LINKS,
    )


def import_run(arguments: argparse.Namespace) -> int:
    """Runs the commands that bring in a run; `arguments.source` says whose. It is scored."""
    from engine.results.run_matrix import run_status

    asked = asked_for(arguments)
    with workspace_of(arguments, create=bool(asked.corpus)) as workspace:
        made = bring_in(workspace, asked)
        if not arguments.json:
            show_outcome(asked.told(made))
        code = _scored(arguments, workspace, [made.job.id] if made.job is not None else [])
        if arguments.json:
            print_json({"imported": made, "status": run_status(workspace.db, made.run)})
        elif arguments.detach and made.job is not None:
            print_line("run {name} is scored by job {id}", name=made.run.name, id=made.job.id)
        elif code == 0:
            metric = "ndcg@1" if made.run.system.generator == "none" else "f1"
            print_line(
                "next: ragdesk matrix {run} --metric {metric}",
                run=quote(made.run.name),
                metric=metric,
            )
    return code


def _scored(arguments: argparse.Namespace, workspace: Workspace, job_ids: Sequence[int]) -> int:
    """Has the worker do these jobs; returns the exit code, once they are done but for --detach."""
    from engine.jobs.start import ensure_worker
    from tui.cli.follow import follow

    if not job_ids:
        return 0
    ensure_worker(workspace)
    return 0 if arguments.detach else follow(workspace, job_ids)


@command(
    "omnieval",
    "import OmniEval's items, or predictions and results",
    option("PATH...", "files of the authors, or the folder with them", dest="files"),
    option("--run NAME", "name of the new run; without it, items are imported", dest="run_name"),
    _DATASET,
    _SYSTEM,
    _SCORING,
    _DEPTH,
    *_made_options(taxonomy="omnieval", judge="omnieval"),
    option(
        "--variant",
        "clean items with care, or as the authors' code does (default standard)",
        "standard",
        choices=("standard", "omnieval"),
    ),
    option("--accept", "also accept items that were not inspected"),
    example="items/ --corpus finance --dataset omnieval",
    defaults={"source": "omnieval", "taxonomy": None},
)
def import_omnieval(arguments: argparse.Namespace) -> int:
    if arguments.run_name is None:
        return import_omnieval_items(arguments)
    arguments.source = "omnieval-run"
    return import_run(arguments)


@command(
    "ragchecker",
    "import RAGChecker's compared answers with the labels of two annotators",
    option("FILE", "the file of the authors, .json or .jsonl", dest="files"),
    option("--dataset NAME", "name of the new dataset", required=True),
    option("--corpus NAME", "corpus of the dataset (default: an empty one of the same name)"),
    detach_option("scoring runs in the background"),
    taxonomy_option(of="taxonomy of a new dataset"),
    example="pairs.jsonl --dataset ragchecker",
    defaults={"source": "ragchecker"},
)
def import_ragchecker(arguments: argparse.Namespace) -> int:
    asked = asked_for(arguments)
    with workspace_of(arguments, create=True) as workspace:
        made = bring_in(workspace, asked)
        for line in asked.told(made).lines:
            say(line)
        code = _scored(arguments, workspace, [job.id for job in made.jobs])
    if arguments.json:
        print_json(made)
    elif code == 0:
        print_line("next: ragdesk agree --form preference")
    return code


def import_to_judge(arguments: argparse.Namespace) -> int:
    """Runs the commands that bring in what runs are judged by: scores, and RAGQuestEval's
    questions."""
    asked = asked_for(arguments)
    with workspace_of(arguments) as workspace:
        made = bring_in(workspace, asked)
    if arguments.json:
        print_json(made)
        return 0
    show_outcome(asked.told(made))
    if asked.source == "scores":
        print_line(
            "next: ragdesk matrix {run} --metric {metric} --judge {judge}",
            run=quote(made.run),
            metric=made.metrics[0],
            judge=quote(made.judge),
        )
    else:
        print_line(
            'next: name them in ragdesk.toml, in a judge of method "ragquesteval": {name!r}',
            name=made.name,
        )
    return 0


COMMANDS = (
    imports(
        import_run,
        "predictions",
        "import the answers of your own RAG system as a run",
        option("FILE", 'predictions, lines {"id", "answer", ...}', dest="files"),
        *_RUN,
        _DEPTH,
        option("--closed-book", "the system retrieved nothing"),
        example="answers.jsonl --run mine --dataset finance",
    ),
    imports(
        import_run,
        "trec-run",
        "import what another retriever found as a run",
        option("FILE", "rankings, lines `query Q0 document rank score tag`", dest="files"),
        *_RUN,
        _DEPTH,
        example="run.txt --run theirs --dataset finance",
    ),
    import_omnieval,
    imports(
        import_run,
        "crud",
        "import CRUD-RAG's output files",
        option("PATH...", "output files, or the folder with them", dest="files"),
        *_RUN,
        *_made_options(taxonomy="crud", judge="crud-rag"),
        option("--questions FILE", "question file of the authors (split_merged.json)"),
        example="output.json --run theirs --dataset crud --corpus news",
    ),
    import_ragchecker,
    imports(
        import_to_judge,
        "scores",
        "import the scores of another judge for a run",
        option("FILE", "scores, .jsonl or .csv", dest="files"),
        option("--run RUN", "name or number of the run", dest="run_name", required=True),
        option("--judge NAME", "name of the judge", required=True),
        example="scores.jsonl --run mine --judge theirs",
    ),
    imports(
        import_to_judge,
        "question-sets",
        "import the questions that RAGQuestEval asks answers",
        option("FILE...", "CRUD-RAG's TASK_quest_gt_save.json", dest="files"),
        option(
            "--dataset NAME[@V]", "dataset, or release, whose items the sets are of", required=True
        ),
        option("--name NAME", "what judges call the sets (default: the dataset's name)"),
        example="QuestAnswer1Doc_quest_gt_save.json --dataset crud",
    ),
)
