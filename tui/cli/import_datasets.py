"""Commands that import datasets: beir, qrels, items, parquet, and the question sets of others."""

from __future__ import annotations

import argparse
from shlex import quote
from typing import Any

from store.errors import UsageError
from tui.cli.command import Argument, command, option
from tui.cli.corpora import show_ingest
from tui.cli.importing import asked_for, bring_in, imports, show_outcome
from tui.cli.options import CHUNKING, FOLLOW_LINKS, taxonomy_option, workspace_of
from tui.cli.output import print_json, print_line
from tui.language import later


def _target(
    corpus: str, dataset: str = later("name of the new dataset"), taxonomy: str = "omnieval"
) -> tuple[Argument, ...]:
    """The options of every import of items; the texts say what becomes of corpus and dataset."""
    return (
        option("--corpus NAME", corpus, required=True),
        option("--dataset NAME", dataset, required=True),
        taxonomy_option(taxonomy, of=later("taxonomy of a new dataset")),
    )


_JUDGED_QUERIES = (
    option("--answers FILE", 'golden answers, lines {"_id", "answer"}'),
    option(
        "--task-map TYPE=TASK",
        "task of the queries of a type; may be repeated",
        dest="tasks",
        action="append",
    ),
)


def _question_set_options(taxonomy: str = "omnieval") -> tuple[Argument, ...]:
    return (
        option("FILE...", "files as they were published", dest="files"),
        *_target(
            later("corpus for the texts; made if missing"),
            later("dataset for the questions; made if missing"),
            taxonomy,
        ),
    )


def import_dataset(arguments: argparse.Namespace, *, create: bool = True) -> int:
    """Runs the commands that bring in items; `arguments.source` says from where. `create` makes
    a workspace that is missing."""
    asked = asked_for(arguments)
    with workspace_of(arguments, create=create) as workspace:
        report = bring_in(workspace, asked)
        if asked.source == "beir" and not arguments.json:
            show_ingest(arguments, workspace, report.documents)
    if arguments.json:
        print_json(_as_json(report))
        return 0
    outcome = asked.told(report)
    show_outcome(outcome)
    if outcome.release and asked.source != "items":
        print_line(
            "next: ragdesk run --system bm25 --dataset {release}", release=quote(outcome.release)
        )
    return 0


def _as_json(report: Any) -> Any:
    """A report that is a release, or of judged queries, with the name and the size of the release
    alone."""
    from msgspec.structs import asdict

    from engine.importers.beir import BeirReport
    from store.datasets.datasets import Release

    if isinstance(report, Release):
        return {"release": report.label, "items": report.items}
    if isinstance(report, BeirReport):
        return {**_as_json(report.release), **asdict(report), "release": report.release.label}
    return report


@command(
    "qrels",
    "import judgements about a corpus as a new dataset",
    option(
        "[FILE]",
        "columns query, document, grade; or in the format of trec_eval (default: the files that"
        " `meta.source_docs` of the queries names)",
        dest="files",
    ),
    option("--queries FILE", 'queries, lines {"_id", "text"}', required=True),
    *_target(later("corpus whose documents are judged")),
    *_JUDGED_QUERIES,
    example="qrels.tsv --queries queries.jsonl --corpus finance --dataset judged",
    defaults={"source": "qrels"},
)
def import_qrels(arguments: argparse.Namespace) -> int:
    return import_dataset(arguments, create=False)


@command(
    "items",
    "import gold items, or a folder that `export items` wrote",
    option("PATH...", "files of items, one a line; or one exported folder", dest="files"),
    *_target(later("corpus that the items are about")),
    FOLLOW_LINKS,
    example="items/*.jsonl --corpus finance --dataset finance",
    defaults={"source": "items"},
)
def import_items(arguments: argparse.Namespace) -> int:
    from store.history.archive import is_archive

    whole = is_archive(arguments.files[0])
    if whole and len(arguments.files) > 1:
        raise UsageError("One folder is imported at a time.", "Name one folder, or item files.")
    return import_dataset(arguments, create=whole)


def import_omnieval_items(arguments: argparse.Namespace) -> int:
    """Runs `import omnieval` without a run: imports the authors' items."""
    if arguments.corpus is None:
        raise UsageError(
            "Items need the corpus that they are about.",
            "Give --corpus NAME; or --run NAME to import predictions.",
        )
    return import_dataset(arguments)


COMMANDS = (
    imports(
        import_dataset,
        "beir",
        "import corpus.jsonl, queries.jsonl and judgements",
        option("DIR", "a folder in the layout of BEIR", dest="files"),
        *_target(
            later("corpus for the documents; made if missing"),
            later("name of the new dataset, for the queries"),
        ),
        option(
            "--qrels FILE", "relevance judgements (default DIR/qrels.tsv or DIR/qrels/test.tsv)"
        ),
        *_JUDGED_QUERIES,
        option(
            "--expansions NAME=FILE",
            'expanded queries, lines {"_id", "text"}, for systems that use NAME; may be repeated',
            action="append",
        ),
        FOLLOW_LINKS,
        *CHUNKING,
        example="scifact/ --corpus scifact --dataset scifact",
    ),
    import_qrels,
    import_items,
    imports(
        import_dataset,
        "parquet",
        "import the tables that `export parquet` wrote",
        option("DIR", "folder that was exported", dest="files"),
        *_target(
            later("corpus for the documents; made if missing"),
            later("dataset for the items; made if missing"),
        ),
        FOLLOW_LINKS,
        example="tables/ --corpus finance --dataset finance",
    ),
    imports(
        import_dataset,
        "multihop-rag",
        "import MultiHop-RAG's articles and queries",
        option(
            "PATH...", "corpus.json and MultiHopRAG.json, or the folder with both", dest="files"
        ),
        *_target(
            later("corpus for the articles; made if missing"),
            later("dataset for the queries; made if missing"),
        ),
        FOLLOW_LINKS,
        example="MultiHop-RAG/dataset/ --corpus news --dataset multihop-rag",
    ),
    imports(
        import_dataset,
        "convfinqa",
        "import ConvFinQA's conversations with their pages",
        *_question_set_options(),
        example="train.json --corpus convfinqa --dataset convfinqa",
    ),
    imports(
        import_dataset,
        "pacific",
        "import PACIFIC's conversations with their tables and paragraphs",
        *_question_set_options(),
        example="train.json --corpus pacific --dataset pacific",
    ),
    imports(
        import_dataset,
        "uhgeval",
        "import UHGEval's texts to be corrected, with the articles",
        *_question_set_options("crud"),
        example="news.json --corpus uhgeval --dataset uhgeval",
    ),
)
