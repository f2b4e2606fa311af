"""Commands that bring data in and freeze it: import, release."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from store.workspace import open_workspace
from tui.cli.corpus import chunking_settings, show_ingest
from tui.cli.output import ProgressLine, print_json, rater, say
from tui.cli.topics import chosen_taxonomy

if TYPE_CHECKING:
    from engine.importers.beir import BeirReport


def import_beir(arguments: argparse.Namespace) -> int:
    from engine.importers.beir import import_beir as bring_in

    taxonomy = chosen_taxonomy(arguments)
    line = ProgressLine()
    with open_workspace(arguments.workspace, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.folder,
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
            taxonomy=taxonomy,
            qrels=arguments.qrels,
            answers=arguments.answers,
            expansions={
                name: Path(file)
                for name, file in (
                    _pair(text, "--expansions NAME=FILE") for text in arguments.expansions
                )
            },
            task_map=task_map(arguments),
            chunking=chunking_settings(arguments),
            author=rater(arguments),
            progress=lambda stored: line.show(plural(stored.seen, "document")),
        )
        line.end()
        if not arguments.json:
            show_ingest(arguments, workspace, report.documents)
    show_judged(arguments, report)
    return 0


def show_judged(arguments: argparse.Namespace, report: BeirReport) -> None:
    """Prints what came of judged queries."""
    if arguments.json:
        print_json(
            {
                "release": report.release.label,
                "items": report.release.items,
                "documents": report.documents,
                "without_gold": report.without_gold,
                "unknown_documents": report.unknown_documents,
            }
        )
        return
    if report.without_gold:
        say(
            f"warning: {plural(report.without_gold, 'query', 'queries')}"
            " without a relevant document"
        )
    if report.unknown_documents:
        sample = ", ".join(report.unknown_documents[:3])
        say(
            "warning: the judgements name"
            f" {plural(len(report.unknown_documents), 'document')} that"
            f" the corpus lacks ({sample})"
        )
    print(f"released {report.release.label}: {plural(report.release.items, 'item')}")
    print(f"next: ragdesk run --system bm25 --dataset {report.release.label}")


def import_items(arguments: argparse.Namespace) -> int:
    from store.history.archive import is_archive

    if is_archive(arguments.files[0]):
        from tui.cli.import_sets import import_archive

        return import_archive(arguments)
    from engine.importers.items import import_items as bring_in
    from store.corpora import corpora

    taxonomy = chosen_taxonomy(arguments)
    with open_workspace(arguments.workspace) as workspace:
        release = bring_in(
            workspace,
            arguments.files,
            corpus=corpora.get(workspace.db, arguments.corpus),
            dataset_name=arguments.dataset,
            taxonomy=taxonomy,
            author=rater(arguments),
        )
    if arguments.json:
        print_json({"release": release.label, "items": release.items})
    else:
        print(f"released {release.label}: {plural(release.items, 'item')}")
    return 0


def release(arguments: argparse.Namespace) -> int:
    from engine.splitting.dataset import split_dataset
    from store.datasets import datasets
    from tui.cli.splitting import show_split

    with open_workspace(arguments.workspace) as workspace:
        with workspace.write(durable=True) as db:
            made = datasets.release(db, datasets.get(db, arguments.dataset), arguments.note)
        report = split_dataset(workspace, arguments.dataset)
    if arguments.json:
        print_json({"release": made.label, "items": made.items, "split": report})
        return 0
    print(f"released {made.label}: {plural(made.items, 'item')}")
    show_split(report)
    return 0


def task_map(arguments: argparse.Namespace) -> dict[str, str]:
    """`--task-map` as a mapping from query type to task."""
    return dict(_pair(text, "--task-map TYPE=TASK") for text in arguments.task_map)


def _pair(text: str, form: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not (name and mark and value):
        raise UsageError(f"{text!r} is not of the form {form}.")
    return name, value
