"""Commands that import datasets: beir, qrels, items, parquet, and the question sets of others."""

from __future__ import annotations

import argparse
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import Argument, Command, option
from tui.cli.corpora import show_ingest
from tui.cli.options import (
    CHUNKING,
    FOLLOW_LINKS,
    chosen_taxonomy,
    chunking_settings,
    pair,
    rater,
    taxonomy_option,
    workspace_of,
)
from tui.cli.output import ProgressLine, print_json, print_line, say_first
from tui.language import later, tr

if TYPE_CHECKING:
    from engine.importers.beir import BeirReport
    from engine.importers.outcome import Added, Outcome


SHOWN_WARNINGS = 20
_MORE = tr("warning: {} more (all of them with --json)")


def _target(
    corpus: str, dataset: str = later("name of the new dataset"), taxonomy: str = "omnieval"
) -> tuple[Argument, ...]:
    """The options of every import of items; the texts say what becomes of corpus and dataset."""
    return (
        option("--corpus NAME", corpus, required=True),
        option("--dataset NAME", dataset, required=True),
        taxonomy_option(taxonomy, of=later("taxonomy of a new dataset")),
    )


def _target_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """What every function that imports items is told."""
    return {
        "corpus_name": arguments.corpus,
        "dataset_name": arguments.dataset,
        "taxonomy": chosen_taxonomy(arguments),
        "author": rater(arguments),
    }


_JUDGED_QUERIES = (
    option("--answers FILE", 'golden answers, lines {"_id", "answer"}'),
    option(
        "--task-map TYPE=TASK", "task of the queries of a type; may be repeated", action="append"
    ),
)

_BEIR = (
    option("DIR", "a folder in the layout of BEIR", dest="folder"),
    *_target(
        later("corpus for the documents; made if missing"),
        later("name of the new dataset, for the queries"),
    ),
    option("--qrels FILE", "relevance judgements (default DIR/qrels.tsv or DIR/qrels/test.tsv)"),
    *_JUDGED_QUERIES,
    option(
        "--expansions NAME=FILE",
        'expanded queries, lines {"_id", "text"}, for systems that use NAME; may be repeated',
        action="append",
    ),
    FOLLOW_LINKS,
    *CHUNKING,
)


def import_beir(arguments: argparse.Namespace) -> int:
    from engine.importers.beir import import_beir as bring_in

    named = _judged_queries(arguments)
    expansions = dict(pair(text, "--expansions NAME=FILE") for text in arguments.expansions)
    line = ProgressLine()
    with workspace_of(arguments, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.folder,
            **named,
            qrels=arguments.qrels,
            expansions={name: Path(file) for name, file in expansions.items()},
            chunking=chunking_settings(arguments),
            follow_links=arguments.follow_links,
            progress=lambda stored: line.show(plural(stored.seen, "document")),
        )
        line.end()
        if not arguments.json:
            show_ingest(arguments, workspace, report.documents)
    return _show_judged(arguments, report)


_QRELS = (
    option(
        "[FILE]",
        "columns query, document, grade; or in the format of trec_eval (default: the files that"
        " `meta.source_docs` of the queries names)",
    ),
    option("--queries FILE", 'queries, lines {"_id", "text"}', required=True),
    *_target(later("corpus whose documents are judged")),
    *_JUDGED_QUERIES,
)


def import_qrels(arguments: argparse.Namespace) -> int:
    from engine.importers.beir import import_qrels as bring_in

    with workspace_of(arguments) as workspace:
        report = bring_in(
            workspace, arguments.file, queries=arguments.queries, **_judged_queries(arguments)
        )
    return _show_judged(arguments, report)


def _judged_queries(arguments: argparse.Namespace) -> dict[str, Any]:
    tasks = dict(pair(text, "--task-map TYPE=TASK") for text in arguments.task_map)
    return {**_target_of(arguments), "answers": arguments.answers, "task_map": tasks}


def _show_judged(arguments: argparse.Namespace, report: BeirReport) -> int:
    """Prints the release that judged queries became, and what is missing in it."""
    from engine.importers.outcome import of_judged

    release, unknown = report.release, report.unknown_documents
    if arguments.json:
        print_json(
            {
                "release": release.label,
                "items": release.items,
                "documents": report.documents,
                "without_gold": report.without_gold,
                "unknown_documents": unknown,
                "misfits": report.misfits,
            }
        )
        return 0
    show_outcome(of_judged(report))
    print_line("next: ragdesk run --system bm25 --dataset {release}", release=quote(release.label))
    return 0


def show_outcome(outcome: Outcome) -> None:
    """Prints what came in, and says what was not as it should be."""
    say_first(
        [tr("warning: {text}", text=text) for text in outcome.warnings], SHOWN_WARNINGS, _MORE
    )
    for line in outcome.lines:
        print(line)


_ITEMS = (
    option("PATH...", "files of items, one a line; or one exported folder", dest="files"),
    *_target(later("corpus that the items are about")),
    FOLLOW_LINKS,
)


def import_items(arguments: argparse.Namespace) -> int:
    from engine.importers.outcome import of_release
    from store.history.archive import is_archive

    if is_archive(arguments.files[0]):
        return _import_archive(arguments)
    from engine.importers.items import import_items as bring_in

    named = _target_of(arguments)
    with workspace_of(arguments) as workspace:
        release = bring_in(workspace, arguments.files, **named)
    if arguments.json:
        print_json({"release": release.label, "items": release.items})
    else:
        show_outcome(of_release(release))
    return 0


def _import_archive(arguments: argparse.Namespace) -> int:
    """Runs `import items DIR`, where DIR holds a dataset with all its history."""
    from engine.importers.archive import import_archive as bring_in
    from engine.importers.outcome import of_archive

    if len(arguments.files) > 1:
        raise UsageError("One folder is imported at a time.", "Name one folder, or item files.")
    with workspace_of(arguments, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.files[0],
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
            follow_links=arguments.follow_links,
        )
    if arguments.json:
        print_json(report)
        return 0
    show_outcome(of_archive(report))
    return 0


def _question_set_options(taxonomy: str = "omnieval") -> tuple[Argument, ...]:
    return (
        option("FILE...", "files as they were published", dest="files"),
        *_target(
            later("corpus for the texts; made if missing"),
            later("dataset for the questions; made if missing"),
            taxonomy,
        ),
    )


def import_question_set(arguments: argparse.Namespace) -> int:
    """Runs `import convfinqa`, `pacific` and `uhgeval`; `arguments.kind` is the word."""
    from engine.importers.outcome import of_question_set
    from engine.importers.question_sets import import_question_set as bring_in

    named = _target_of(arguments)
    with workspace_of(arguments, create=True) as workspace:
        report = bring_in(workspace, arguments.kind, arguments.files, **named)
    return _show_added(arguments, report, of_question_set(report))


_PARQUET = (
    option("DIR", "folder that was exported", dest="folder"),
    *_target(
        later("corpus for the documents; made if missing"),
        later("dataset for the items; made if missing"),
    ),
    FOLLOW_LINKS,
)


def import_parquet(arguments: argparse.Namespace) -> int:
    from engine.importers.outcome import of_added
    from engine.importers.parquet import import_parquet as bring_in

    named = _target_of(arguments)
    with workspace_of(arguments, create=True) as workspace:
        report = bring_in(workspace, arguments.folder, follow_links=arguments.follow_links, **named)
    return _show_added(arguments, report, of_added(report))


_MULTIHOP_RAG = (
    option("PATH...", "corpus.json and MultiHopRAG.json, or the folder with both", dest="files"),
    *_target(
        later("corpus for the articles; made if missing"),
        later("dataset for the queries; made if missing"),
    ),
    FOLLOW_LINKS,
)


def import_multihop_rag(arguments: argparse.Namespace) -> int:
    from engine.importers.multihop_rag import import_multihop_rag as bring_in
    from engine.importers.outcome import of_multihop

    named = _target_of(arguments)
    with workspace_of(arguments, create=True) as workspace:
        report = bring_in(workspace, arguments.files, follow_links=arguments.follow_links, **named)
    return _show_added(arguments, report, of_multihop(report))


def import_omnieval_items(arguments: argparse.Namespace) -> int:
    """Runs `import omnieval` without a run: imports the authors' items."""
    from engine.importers.omnieval_items import import_omnieval_items as bring_in
    from engine.importers.outcome import of_omnieval

    if arguments.corpus is None:
        raise UsageError(
            "Items need the corpus that they are about.",
            "Give --corpus NAME; or --run NAME to import predictions.",
        )
    taxonomy = None if arguments.taxonomy is None else chosen_taxonomy(arguments)
    with workspace_of(arguments, create=True) as workspace:
        report = bring_in(
            workspace,
            arguments.source,
            corpus_name=arguments.corpus,
            dataset_name=arguments.dataset,
            taxonomy=taxonomy,
            variant=arguments.variant,
            accept=arguments.accept,
            follow_links=arguments.follow_links,
            author=rater(arguments),
        )
    return _show_added(arguments, report, of_omnieval(report))


def _show_added(arguments: argparse.Namespace, report: Added, outcome: Outcome) -> int:
    """Prints how many documents and items were added, and the release that these became."""
    if arguments.json:
        print_json(report)
        return 0
    show_outcome(outcome)
    if outcome.release:
        print_line(
            "next: ragdesk run --system bm25 --dataset {release}", release=quote(outcome.release)
        )
    return 0


COMMANDS = (
    Command(
        "beir",
        "import corpus.jsonl, queries.jsonl and judgements",
        import_beir,
        _BEIR,
        "scifact/ --corpus scifact --dataset scifact",
    ),
    Command(
        "qrels",
        "import judgements about a corpus as a new dataset",
        import_qrels,
        _QRELS,
        "qrels.tsv --queries queries.jsonl --corpus finance --dataset judged",
    ),
    Command(
        "items",
        "import gold items, or a folder that `export items` wrote",
        import_items,
        _ITEMS,
        "items/*.jsonl --corpus finance --dataset finance",
    ),
    Command(
        "parquet",
        "import the tables that `export parquet` wrote",
        import_parquet,
        _PARQUET,
        "tables/ --corpus finance --dataset finance",
    ),
    Command(
        "multihop-rag",
        "import MultiHop-RAG's articles and queries",
        import_multihop_rag,
        _MULTIHOP_RAG,
        "MultiHop-RAG/dataset/ --corpus news --dataset multihop-rag",
    ),
    Command(
        "convfinqa",
        "import ConvFinQA's conversations with their pages",
        import_question_set,
        _question_set_options(),
        "train.json --corpus convfinqa --dataset convfinqa",
        {"kind": "convfinqa"},
    ),
    Command(
        "pacific",
        "import PACIFIC's conversations with their tables and paragraphs",
        import_question_set,
        _question_set_options(),
        "train.json --corpus pacific --dataset pacific",
        {"kind": "pacific"},
    ),
    Command(
        "uhgeval",
        "import UHGEval's texts to be corrected, with the articles",
        import_question_set,
        _question_set_options("crud"),
        "news.json --corpus uhgeval --dataset uhgeval",
        {"kind": "uhgeval"},
    ),
)
