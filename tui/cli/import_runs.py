"""The commands that import runs and what judges them: predictions, trec-run, omnieval, crud,
ragchecker, scores, question-sets."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from shlex import quote
from typing import TYPE_CHECKING, Any

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import Argument, Command, option
from tui.cli.import_datasets import import_omnieval_items, show_outcome
from tui.cli.options import (
    FOLLOW_LINKS,
    chosen_taxonomy,
    detach_option,
    rater,
    taxonomy_option,
    workspace_of,
)
from tui.cli.output import ProgressLine, print_json, print_line, say
from tui.language import tr

if TYPE_CHECKING:
    from engine.importers.foreign_run import ImportedRun
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
_DEPTH = option("--k N", "largest k of ndcg@k and other ranking metrics (default: at most 10)")


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


_PREDICTIONS = (
    option("FILE", 'predictions, lines {"id", "answer", ...}', dest="source"),
    *_RUN,
    _DEPTH,
    option("--closed-book", "the system retrieved nothing"),
)


def import_predictions(arguments: argparse.Namespace) -> int:
    from engine.importers.predictions import import_predictions as bring_in

    return _import_run(
        arguments, bring_in, closed_book=arguments.closed_book, top_k=_depth(arguments)
    )


_TREC_RUN = (
    option("FILE", "rankings, lines `query Q0 document rank score tag`", dest="source"),
    *_RUN,
    _DEPTH,
)


def import_trec_run(arguments: argparse.Namespace) -> int:
    from engine.importers.trec import import_trec_run as bring_in

    return _import_run(arguments, bring_in, top_k=_depth(arguments))


_OMNIEVAL = (
    option("PATH...", "files of the authors, or the folder with them", dest="source"),
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
)


def import_omnieval(arguments: argparse.Namespace) -> int:
    if arguments.run_name is None:
        return import_omnieval_items(arguments)
    from engine.importers.omnieval_files import STANDARD
    from engine.importers.omnieval_predictions import import_omnieval as bring_in

    arguments.taxonomy = arguments.taxonomy or STANDARD
    line = ProgressLine()
    return _import_run(
        arguments,
        bring_in,
        **_made(arguments),
        top_k=_depth(arguments),
        progress=lambda stored: line.show(plural(stored.seen, "document")),
        line=line,
    )


_CRUD = (
    option("PATH...", "output files, or the folder with them", dest="source"),
    *_RUN,
    *_made_options(taxonomy="crud", judge="crud-rag"),
    option("--questions FILE", "question file of the authors (split_merged.json)"),
)


def import_crud(arguments: argparse.Namespace) -> int:
    from engine.importers.crud import import_crud as bring_in

    return _import_run(arguments, bring_in, **_made(arguments), questions=arguments.questions)


_RAGCHECKER = (
    option("FILE", "the file of the authors, .json or .jsonl"),
    option("--dataset NAME", "name of the new dataset", required=True),
    option("--corpus NAME", "corpus of the dataset (default: an empty one of the same name)"),
    detach_option("scoring runs in the background"),
    taxonomy_option(of="taxonomy of a new dataset"),
)


def import_ragchecker(arguments: argparse.Namespace) -> int:
    from engine.importers.outcome import of_pairs
    from engine.importers.ragchecker import import_ragchecker as bring_in
    from tui.cli.follow import follow

    taxonomy = chosen_taxonomy(arguments)
    with workspace_of(arguments, create=True) as workspace:
        made = bring_in(
            workspace,
            arguments.file,
            dataset=arguments.dataset,
            corpus_name=arguments.corpus or arguments.dataset,
            taxonomy=taxonomy,
            author=rater(arguments),
        )
        for line in of_pairs(made).lines:
            say(line)
        code = 0
        if not arguments.detach:
            code = follow(workspace, [job.id for job in made.jobs])
    if arguments.json:
        print_json(made)
    elif code == 0:
        print_line("next: ragdesk agree --form preference")
    return code


_SCORES = (
    option("FILE", "scores, .jsonl or .csv"),
    option("--run RUN", "name or number of the run", dest="run_name", required=True),
    option("--judge NAME", "name of the judge", required=True),
)


def import_scores(arguments: argparse.Namespace) -> int:
    from engine.importers.outcome import of_scores
    from engine.importers.scores import import_scores as bring_in

    with workspace_of(arguments) as workspace:
        made = bring_in(workspace, arguments.file, arguments.run_name, arguments.judge)
    if arguments.json:
        print_json(made)
        return 0
    show_outcome(of_scores(made))
    run, judge = quote(made.run), quote(made.judge)
    print_line(
        "next: ragdesk matrix {run} --metric {metric} --judge {judge}",
        run=run,
        metric=made.metrics[0],
        judge=judge,
    )
    return 0


_QUESTION_SETS = (
    option("FILE...", "CRUD-RAG's TASK_quest_gt_save.json", dest="files"),
    option("--dataset NAME[@V]", "dataset, or release, whose items the sets are of", required=True),
    option("--name NAME", "what judges call the sets (default: the dataset's name)"),
)


def import_question_sets(arguments: argparse.Namespace) -> int:
    from engine.importers.outcome import of_sets
    from engine.importers.ragquesteval import import_question_sets as bring_in

    name = arguments.name or arguments.dataset.partition("@")[0]
    with workspace_of(arguments) as workspace:
        made = bring_in(workspace, arguments.files, dataset=arguments.dataset, name=name)
    if arguments.json:
        print_json(made)
        return 0
    show_outcome(of_sets(made))
    print_line(
        'next: name them in ragdesk.toml, in a judge of method "ragquesteval": {name!r}',
        name=made.name,
    )
    return 0


def _made(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "corpus_name": arguments.corpus,
        "taxonomy": chosen_taxonomy(arguments),
        "judge": arguments.judge,
        "follow_links": arguments.follow_links,
        "author": rater(arguments),
    }


def _import_run(
    arguments: argparse.Namespace,
    bring_in: Callable[..., ImportedRun],
    *,
    line: ProgressLine | None = None,
    **options: Any,
) -> int:
    """Imports a run by `bring_in`, prints what came in, and has the worker score it."""
    with workspace_of(arguments, create=bool(options.get("corpus_name"))) as workspace:
        made = bring_in(
            workspace,
            arguments.source,
            run_name=arguments.run_name,
            dataset=arguments.dataset,
            system_name=arguments.system,
            **options,
        )
        if line is not None:
            line.end()
        return _score(arguments, workspace, made)


def _depth(arguments: argparse.Namespace) -> int | None:
    if arguments.k is not None and not 1 <= arguments.k <= 1000:
        raise UsageError(f"--k is {arguments.k}.", "Use 1 to 1000.")
    return None if arguments.k is None else int(arguments.k)


def _score(arguments: argparse.Namespace, workspace: Workspace, made: ImportedRun) -> int:
    from engine.importers.outcome import of_run
    from engine.jobs.start import ensure_worker
    from engine.results.run_matrix import run_status
    from tui.cli.follow import follow

    if not arguments.json:
        show_outcome(of_run(made))
    code = 0
    if made.job is not None:
        ensure_worker(workspace)
        code = 0 if arguments.detach else follow(workspace, [made.job.id])
    if arguments.json:
        print_json({"imported": made, "status": run_status(workspace.db, made.run)})
    elif arguments.detach and made.job is not None:
        print_line("run {name} is scored by job {id}", name=made.run.name, id=made.job.id)
    elif code == 0:
        metric = "ndcg@1" if made.run.system.generator == "none" else "f1"
        print_line(
            "next: ragdesk matrix {run} --metric {metric}", run=quote(made.run.name), metric=metric
        )
    return code


COMMANDS = (
    Command(
        "predictions",
        "import the answers of your own RAG system as a run",
        import_predictions,
        _PREDICTIONS,
        "answers.jsonl --run mine --dataset finance",
    ),
    Command(
        "trec-run",
        "import what another retriever found as a run",
        import_trec_run,
        _TREC_RUN,
        "run.txt --run theirs --dataset finance",
    ),
    Command(
        "omnieval",
        "import OmniEval's items, or predictions and results",
        import_omnieval,
        _OMNIEVAL,
        "items/ --corpus finance --dataset omnieval",
        {"taxonomy": None},
    ),
    Command(
        "crud",
        "import CRUD-RAG's output files",
        import_crud,
        _CRUD,
        "output.json --run theirs --dataset crud --corpus news",
    ),
    Command(
        "ragchecker",
        "import RAGChecker's compared answers with the labels of two annotators",
        import_ragchecker,
        _RAGCHECKER,
        "pairs.jsonl --dataset ragchecker",
    ),
    Command(
        "scores",
        "import the scores of another judge for a run",
        import_scores,
        _SCORES,
        "scores.jsonl --run mine --judge theirs",
    ),
    Command(
        "question-sets",
        "import the questions that RAGQuestEval asks answers",
        import_question_sets,
        _QUESTION_SETS,
        "QuestAnswer1Doc_quest_gt_save.json --dataset crud",
    ),
)
