"""Commands that bring in datasets with the texts that they are about."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from store.workspace import open_workspace
from tui.cli.output import print_json, rater, say

if TYPE_CHECKING:
    from engine.importers.omnieval_items import OmniItemsReport
    from engine.importers.question_sets import SetReport
    from engine.importers.sink import PutItems


def import_question_set(arguments: argparse.Namespace) -> int:
    """`import convfinqa`, `pacific`, `uhgeval`: which one is in `arguments.kind`."""
    from engine.importers.question_sets import import_question_set as bring_in
    from engine.taxonomy.stored import find_taxonomy

    with open_workspace(arguments.workspace, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.kind,
            arguments.files,
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
            taxonomy=find_taxonomy(workspace.db, arguments.taxonomy),
            author=rater(arguments),
        )
    _show(arguments, report)
    return 0


def import_omnieval_items(arguments: argparse.Namespace) -> int:
    """`import omnieval` without a run: the authors' items."""
    from engine.importers.omnieval_items import import_omnieval_items as bring_in
    from engine.taxonomy.stored import find_taxonomy

    if arguments.corpus is None:
        raise UsageError(
            "Items need the corpus that they are about.",
            "Give --corpus NAME; or --run NAME to import predictions.",
        )
    with open_workspace(arguments.workspace, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.paths,
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
            taxonomy=None
            if arguments.taxonomy is None
            else find_taxonomy(workspace.db, arguments.taxonomy),
            variant=arguments.variant,
            accept=arguments.accept,
            author=rater(arguments),
        )
    _show_omnieval(arguments, report)
    return 0


def import_archive(arguments: argparse.Namespace) -> int:
    """`import items DIR`: a dataset with all its history."""
    from engine.importers.archive import import_archive as bring_in

    if len(arguments.files) > 1:
        raise UsageError("One folder is imported at a time.", "Name one folder, or item files.")
    with open_workspace(arguments.workspace, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.files[0],
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
        )
    if arguments.json:
        print_json(report)
        return 0
    known = f", {report.known:,} were there" if report.known else ""
    print(f"dataset {report.dataset}: {plural(report.items, 'item')} added{known}")
    if report.items:
        print(
            f"with {plural(report.revisions, 'revision')}, {plural(report.verdicts, 'verdict')},"
            f" {plural(report.events, 'label event')}, {plural(report.documents, 'document')}"
        )
    if report.releases:
        print(f"releases: {', '.join(report.releases)}")
    return 0


def import_parquet(arguments: argparse.Namespace) -> int:
    from engine.importers.parquet import import_parquet as bring_in
    from engine.taxonomy.stored import find_taxonomy

    with open_workspace(arguments.workspace, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.folder,
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
            taxonomy=find_taxonomy(workspace.db, arguments.taxonomy),
            author=rater(arguments),
        )
    if arguments.json:
        print_json(report)
        return 0
    documents = report.documents
    print(f"documents: {documents.added:,} added, {documents.unchanged:,} unchanged")
    show_put(report.items)
    return 0


def _show_omnieval(arguments: argparse.Namespace, report: OmniItemsReport) -> None:
    if arguments.json:
        print_json(report)
        return
    documents = report.documents
    print(f"documents: {documents.added:,} added, {documents.unchanged:,} unchanged")
    for one in report.dropped:
        say(f"left out: {one.place}: {one.reason}")
    for count, text in (
        (report.duplicates, "lines say the same as an earlier one"),
        (report.stand_ins, "documents are known by their golden passages only"),
        (report.mended, "passages were put into their document's own words"),
        (report.unlocated, "passages are in none of their documents; these stand as a whole"),
        (report.unassigned, "items have a topic or task that the taxonomy lacks"),
    ):
        if count:
            say(f"warning: {count:,} {text}")
    if report.is_chosen:
        say(f"taxonomy {report.taxonomy}: it holds the topics of the items; none was named")
    show_put(report.items)


def _show(arguments: argparse.Namespace, report: SetReport) -> None:
    if arguments.json:
        print_json(report)
        return
    documents = report.documents
    print(f"documents: {documents.added:,} added, {documents.unchanged:,} unchanged")
    if report.unlocated:
        say(
            f"warning: {plural(report.unlocated, 'passage')} not word for word in a document;"
            " the whole document stands for them"
        )
    show_put(report.items)


def show_put(items: PutItems) -> None:
    """Prints what became of imported items."""
    known = f", {items.known:,} were there" if items.known else ""
    print(f"dataset {items.dataset}: {plural(items.added, 'item')} added{known}")
    if items.release is not None:
        print(f"released {items.release.label}: {plural(items.release.items, 'item')}")
        print(f"next: ragdesk run --system bm25 --dataset {items.release.label}")
