"""Commands that import datasets: beir, qrels, items, parquet, convfinqa, pacific, uhgeval."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import Argument, Command, option
from tui.cli.corpora import show_ingest
from tui.cli.options import (
    CHUNKING,
    chosen_taxonomy,
    chunking_settings,
    pair,
    rater,
    taxonomy_option,
    workspace_of,
)
from tui.cli.output import ProgressLine, print_json, say

if TYPE_CHECKING:
    from engine.importers.beir import BeirReport
    from engine.importers.question_sets import SetReport
    from engine.importers.sink import PutItems


_JUDGED_QUERIES = (
    option("--answers FILE", 'golden answers, lines {"_id", "answer"}'),
    option(
        "--task-map TYPE=TASK", "task of the queries of a type; may be repeated", action="append"
    ),
)

_BEIR = (
    option("DIR", "a folder in the layout of BEIR", dest="folder"),
    option("--corpus NAME", "corpus for the documents; made if missing", required=True),
    option("--dataset NAME", "name of the new dataset, for the queries", required=True),
    option("--qrels FILE", "relevance judgements (default DIR/qrels.tsv)"),
    *_JUDGED_QUERIES,
    option(
        "--expansions NAME=FILE",
        'expanded queries, lines {"_id", "text"}, for systems that use NAME; may be repeated',
        action="append",
    ),
    taxonomy_option(),
    *CHUNKING,
)


def import_beir(arguments: argparse.Namespace) -> int:
    from engine.importers.beir import import_beir as bring_in

    taxonomy = chosen_taxonomy(arguments)
    line = ProgressLine()
    with workspace_of(arguments, create=True) as workspace:
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
                    pair(text, "--expansions NAME=FILE") for text in arguments.expansions
                )
            },
            task_map=_task_map(arguments),
            chunking=chunking_settings(arguments),
            author=rater(arguments),
            progress=lambda stored: line.show(plural(stored.seen, "document")),
        )
        line.end()
        if not arguments.json:
            show_ingest(arguments, workspace, report.documents)
    _show_judged(arguments, report)
    return 0


_QRELS = (
    option("FILE", "columns query, document, grade; or in the format of trec_eval"),
    option("--queries FILE", 'queries, lines {"_id", "text"}', required=True),
    option("--corpus NAME", "corpus whose documents are judged", required=True),
    option("--dataset NAME", "name of the new dataset", required=True),
    *_JUDGED_QUERIES,
    taxonomy_option(of="taxonomy of a new dataset"),
)


def import_qrels(arguments: argparse.Namespace) -> int:
    from engine.importers.beir import import_qrels as bring_in

    with workspace_of(arguments) as workspace:
        report = bring_in(
            workspace,
            arguments.file,
            queries=arguments.queries,
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
            taxonomy=chosen_taxonomy(arguments),
            answers=arguments.answers,
            task_map=_task_map(arguments),
            author=rater(arguments),
        )
    _show_judged(arguments, report)
    return 0


def _task_map(arguments: argparse.Namespace) -> dict[str, str]:
    """`--task-map` as a mapping from query type to task."""
    return dict(pair(text, "--task-map TYPE=TASK") for text in arguments.task_map)


def _show_judged(arguments: argparse.Namespace, report: BeirReport) -> None:
    """Prints the release that judged queries became, and what is missing in it."""
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
    print(f"next: ragdesk run --system bm25 --dataset {quote(report.release.label)}")


_ITEMS = (
    option("PATH...", "files of items, one a line; or one exported folder", dest="files"),
    option("--corpus NAME", "corpus that the items are about", required=True),
    option("--dataset NAME", "name of the new dataset", required=True),
    taxonomy_option(),
)


def import_items(arguments: argparse.Namespace) -> int:
    from store.history.archive import is_archive

    if is_archive(arguments.files[0]):
        return _import_archive(arguments)
    from engine.importers.items import import_items as bring_in
    from store.corpora import corpora

    taxonomy = chosen_taxonomy(arguments)
    with workspace_of(arguments) as workspace:
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


def _import_archive(arguments: argparse.Namespace) -> int:
    """Runs `import items DIR`, where DIR holds a dataset with all its history."""
    from engine.importers.archive import import_archive as bring_in

    if len(arguments.files) > 1:
        raise UsageError("One folder is imported at a time.", "Name one folder, or item files.")
    with workspace_of(arguments, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.files[0],
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
        )
    if arguments.json:
        print_json(report)
        return 0
    known = f", {report.known:,} were already there" if report.known else ""
    print(f"dataset {report.dataset}: {plural(report.items, 'item')} added{known}")
    if report.items:
        print(
            f"with {plural(report.revisions, 'revision')}, {plural(report.verdicts, 'verdict')},"
            f" {plural(report.events, 'label event')}, {plural(report.documents, 'document')}"
        )
    if report.releases:
        print(f"releases: {', '.join(report.releases)}")
    return 0


def _question_set_options(taxonomy: str = "omnieval") -> tuple[Argument, ...]:
    return (
        option("FILE...", "files as they were published", dest="files"),
        option("--corpus NAME", "corpus for the texts; made if missing", required=True),
        option("--dataset NAME", "dataset for the questions; made if missing", required=True),
        taxonomy_option(taxonomy, of="taxonomy of a new dataset"),
    )


def import_question_set(arguments: argparse.Namespace) -> int:
    """Runs `import convfinqa`, `pacific` and `uhgeval`; `arguments.kind` is the word."""
    from engine.importers.question_sets import import_question_set as bring_in
    from engine.taxonomy.stored import find_taxonomy

    with workspace_of(arguments, create=True) as workspace:
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
    show_items(report.items)


_PARQUET = (
    option("DIR", "folder that was exported", dest="folder"),
    option("--corpus NAME", "corpus for the documents; made if missing", required=True),
    option("--dataset NAME", "dataset for the items; made if missing", required=True),
    taxonomy_option(of="taxonomy of a new dataset"),
)


def import_parquet(arguments: argparse.Namespace) -> int:
    from engine.importers.parquet import import_parquet as bring_in
    from engine.taxonomy.stored import find_taxonomy

    with workspace_of(arguments, create=True) as workspace:
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
    show_items(report.items)
    return 0


def show_items(items: PutItems) -> None:
    """Prints how many items were added, and the release that they became."""
    known = f", {items.known:,} were already there" if items.known else ""
    print(f"dataset {items.dataset}: {plural(items.added, 'item')} added{known}")
    if items.release is not None:
        print(f"released {items.release.label}: {plural(items.release.items, 'item')}")
        print(f"next: ragdesk run --system bm25 --dataset {quote(items.release.label)}")


COMMANDS = (
    Command(
        "beir",
        "import corpus.jsonl, queries.jsonl and qrels.tsv",
        import_beir,
        _BEIR,
        "ragdesk import beir scifact/ --corpus scifact --dataset scifact",
    ),
    Command(
        "qrels",
        "import judgements about a corpus as a new dataset",
        import_qrels,
        _QRELS,
        "ragdesk import qrels qrels.tsv --queries queries.jsonl --corpus finance --dataset judged",
    ),
    Command(
        "items",
        "import gold items, or a folder that `export items` wrote",
        import_items,
        _ITEMS,
        "ragdesk import items items/*.jsonl --corpus finance --dataset finance",
    ),
    Command(
        "parquet",
        "import the tables that `export parquet` wrote",
        import_parquet,
        _PARQUET,
        "ragdesk import parquet tables/ --corpus finance --dataset finance",
    ),
    Command(
        "convfinqa",
        "import ConvFinQA's conversations with their pages",
        import_question_set,
        _question_set_options(),
        "ragdesk import convfinqa train.json --corpus convfinqa --dataset convfinqa",
        {"kind": "convfinqa"},
    ),
    Command(
        "pacific",
        "import PACIFIC's conversations with their tables and paragraphs",
        import_question_set,
        _question_set_options(),
        "ragdesk import pacific train.json --corpus pacific --dataset pacific",
        {"kind": "pacific"},
    ),
    Command(
        "uhgeval",
        "import UHGEval's texts to be corrected, with the articles",
        import_question_set,
        _question_set_options("crud"),
        "ragdesk import uhgeval news.json --corpus uhgeval --dataset uhgeval",
        {"kind": "uhgeval"},
    ),
)
