"""Commands that bring in what other systems answered, retrieved and judged."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from store.workspace import Workspace, open_workspace
from tui.cli.data import show_judged, task_map
from tui.cli.follow import follow
from tui.cli.output import ProgressLine, print_json, rater, say
from tui.cli.topics import chosen_taxonomy

if TYPE_CHECKING:
    from engine.importers.foreign_run import ImportedRun


def import_predictions(arguments: argparse.Namespace) -> int:
    from engine.importers.predictions import import_predictions as bring_in

    with open_workspace(arguments.workspace) as workspace:
        made = bring_in(
            workspace,
            arguments.file,
            run_name=arguments.run_name,
            dataset=arguments.dataset,
            system_name=arguments.system,
            closed_book=arguments.closed_book,
            top_k=_depth(arguments),
        )
        return _score(arguments, workspace, made)


def import_trec_run(arguments: argparse.Namespace) -> int:
    from engine.importers.trec import import_trec_run as bring_in

    with open_workspace(arguments.workspace) as workspace:
        made = bring_in(
            workspace,
            arguments.file,
            run_name=arguments.run_name,
            dataset=arguments.dataset,
            system_name=arguments.system,
            top_k=_depth(arguments),
        )
        return _score(arguments, workspace, made)


def import_scores(arguments: argparse.Namespace) -> int:
    from engine.importers.scores import import_scores as bring_in

    with open_workspace(arguments.workspace) as workspace:
        made = bring_in(workspace, arguments.file, arguments.run_name, arguments.judge)
    if arguments.json:
        print_json(made)
        return 0
    states = ", ".join(f"{count:,} {state}" for state, count in made.states.items())
    print(f"judge {made.judge} on run {made.run}: {', '.join(made.metrics)}; {states}")
    print(f"next: ragdesk matrix {made.run} --metric {made.metrics[0]} --judge {made.judge}")
    return 0


def import_omnieval(arguments: argparse.Namespace) -> int:
    if arguments.run_name is None:
        from tui.cli.import_sets import import_omnieval_items

        return import_omnieval_items(arguments)
    from engine.importers.omnieval_predictions import import_omnieval as bring_in
    from engine.importers.omnieval_taxonomy import STANDARD

    arguments.taxonomy = arguments.taxonomy or STANDARD
    line = ProgressLine()
    with _open(arguments) as workspace:
        made = bring_in(
            workspace,
            arguments.paths,
            run_name=arguments.run_name,
            dataset=arguments.dataset,
            corpus_name=arguments.corpus,
            taxonomy=chosen_taxonomy(arguments),
            judge=arguments.judge,
            system_name=arguments.system,
            top_k=_depth(arguments),
            author=rater(arguments),
            progress=lambda stored: line.show(plural(stored.seen, "document")),
        )
        line.end()
        return _score(arguments, workspace, made)


def import_crud(arguments: argparse.Namespace) -> int:
    from engine.importers.crud import import_crud as bring_in

    with _open(arguments) as workspace:
        made = bring_in(
            workspace,
            arguments.paths,
            run_name=arguments.run_name,
            dataset=arguments.dataset,
            corpus_name=arguments.corpus,
            questions=arguments.questions,
            taxonomy=chosen_taxonomy(arguments),
            judge=arguments.judge,
            system_name=arguments.system,
            author=rater(arguments),
        )
        return _score(arguments, workspace, made)


def import_qrels(arguments: argparse.Namespace) -> int:
    from engine.importers.beir import import_qrels as bring_in

    with open_workspace(arguments.workspace) as workspace:
        report = bring_in(
            workspace,
            arguments.file,
            queries=arguments.queries,
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
            taxonomy=chosen_taxonomy(arguments),
            answers=arguments.answers,
            task_map=task_map(arguments),
            author=rater(arguments),
        )
    show_judged(arguments, report)
    return 0


def _open(arguments: argparse.Namespace) -> Workspace:
    return open_workspace(arguments.workspace, create=arguments.corpus is not None)


def _depth(arguments: argparse.Namespace) -> int | None:
    if arguments.k is not None and not 1 <= arguments.k <= 1000:
        raise UsageError(f"--k is {arguments.k}.", "Use 1 to 1000.")
    return None if arguments.k is None else int(arguments.k)


def _score(arguments: argparse.Namespace, workspace: Workspace, made: ImportedRun) -> int:
    """Tells what came in and has the worker score it."""
    from engine.jobs.launch import ensure_worker
    from engine.results.run_matrix import run_status

    if not arguments.json:
        _tell(made)
    code = 0
    if made.job is not None:
        ensure_worker(workspace)
        code = 0 if arguments.detach else follow(workspace, [made.job.id])
    if arguments.json:
        print_json({"imported": made, "status": run_status(workspace.db, made.run)})
    elif arguments.detach and made.job is not None:
        print(f"run {made.run.name} is scored by job {made.job.id}")
    elif code == 0:
        metric = "ndcg@1" if made.run.system.generator == "none" else "f1"
        print(f"next: ragdesk matrix {made.run.name} --metric {metric}")
    return code


def _tell(made: ImportedRun) -> None:
    for line in made.built:
        print(line)
    given = made.predictions - made.not_provided
    print(f"run {made.run.name}: {given:,} of {plural(made.predictions, 'prediction')} there")
    if made.scores:
        print(f"scores of theirs: {made.scores:,}")
    for count, text in (
        (made.not_provided, "turns have no prediction; they count as missing"),
        (made.failed, "predictions failed where they were made"),
        (made.unlocated, "retrieved texts are not in their documents word for word"),
    ):
        if count:
            say(f"warning: {count:,} {text}")
    if made.unknown_documents:
        sample = ", ".join(made.unknown_documents[:3])
        say(
            f"warning: {len(made.unknown_documents):,} retrieved documents are not in the corpus"
            f" ({sample}); they keep their ranks"
        )
