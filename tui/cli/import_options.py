"""The options of `import KIND` for what other systems answered, retrieved and judged."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Protocol


class Commands(Protocol):
    """What adds a command, with the function `module.function` that runs it."""

    def add(self, name: str, module: str, function: str, help: str) -> argparse.ArgumentParser: ...


def add_foreign_imports(imports: Commands) -> None:
    """Adds the kinds that make runs, and `qrels`."""
    predictions = imports.add(
        "predictions",
        "imports",
        "import_predictions",
        "import the answers of your own RAG system as a run",
    )
    predictions.add_argument("file", type=Path, metavar="FILE", help='lines {"id", "answer", ...}')
    _run(predictions, "NAME[@V]")
    _depth(predictions)
    predictions.add_argument(
        "--closed-book", action="store_true", help="the system retrieves nothing"
    )

    omnieval = imports.add(
        "omnieval",
        "imports",
        "import_omnieval",
        "import OmniEval's items, or predictions and results",
    )
    omnieval.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="files of the authors, or their folder"
    )
    _run(omnieval, "NAME[@V]", required=False)
    _depth(omnieval)
    _made(omnieval, taxonomy="omnieval", judge="omnieval")
    omnieval.set_defaults(taxonomy=None)
    omnieval.add_argument(
        "--variant",
        choices=("standard", "omnieval"),
        default="standard",
        help="clean items with care, or as the authors' code does (default standard)",
    )
    omnieval.add_argument(
        "--accept", action="store_true", help="accept items that were not inspected, too"
    )

    crud = imports.add("crud", "imports", "import_crud", "import CRUD-RAG's output files")
    crud.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="output files, or their folder"
    )
    _run(crud, "NAME[@V]")
    _made(crud, taxonomy="crud", judge="crud-rag")
    crud.add_argument(
        "--questions", type=Path, metavar="FILE", help="their question file (split_merged.json)"
    )

    trec = imports.add(
        "trec-run", "imports", "import_trec_run", "import what another retriever found as a run"
    )
    trec.add_argument(
        "file", type=Path, metavar="FILE", help="lines `query Q0 document rank score tag`"
    )
    _run(trec, "NAME[@V]")
    _depth(trec)

    pairs = imports.add(
        "ragchecker",
        "label_tables",
        "import_ragchecker",
        "import RAGChecker's compared answers with the labels of two annotators",
    )
    pairs.add_argument("file", type=Path, metavar="FILE", help=".json of the authors, or .jsonl")
    pairs.add_argument("--dataset", required=True, metavar="NAME", help="to be made")
    pairs.add_argument(
        "--corpus", metavar="NAME", help="to belong to (default: an empty one named as the dataset)"
    )
    pairs.add_argument("--detach", action="store_true", help="return at once; the worker scores")
    _taxonomy(pairs, "omnieval")

    scores = imports.add(
        "scores", "imports", "import_scores", "import the scores of another judge for a run"
    )
    scores.add_argument("file", type=Path, metavar="FILE", help=".jsonl or .csv")
    scores.add_argument(
        "--run", dest="run_name", required=True, metavar="RUN", help="name or number"
    )
    scores.add_argument("--judge", required=True, metavar="NAME", help="what to call the judge")

    qrels = imports.add(
        "qrels", "imports", "import_qrels", "import judgements about a corpus as a new dataset"
    )
    qrels.add_argument(
        "file", type=Path, metavar="FILE", help="query, document, grade; or as trec_eval has it"
    )
    qrels.add_argument(
        "--queries", required=True, type=Path, metavar="FILE", help='lines {"_id", "text"}'
    )
    qrels.add_argument("--corpus", required=True, metavar="NAME", help="whose documents are judged")
    qrels.add_argument("--dataset", required=True, metavar="NAME", help="to be made")
    qrels.add_argument("--answers", type=Path, metavar="FILE", help='lines {"_id", "answer"}')
    qrels.add_argument(
        "--task-map",
        action="append",
        default=[],
        metavar="TYPE=TASK",
        help="the task of queries of a type; may be given several times",
    )
    _taxonomy(qrels, "omnieval")


def add_question_sets(imports: Commands) -> None:
    """Adds the kinds that hold questions together with the texts that they are about."""
    for name, taxonomy, help in (
        ("convfinqa", "omnieval", "import ConvFinQA's conversations with their pages"),
        ("pacific", "omnieval", "import PACIFIC's conversations with their tables and paragraphs"),
        ("uhgeval", "crud", "import UHGEval's texts to be corrected, with the articles"),
    ):
        kind = imports.add(name, "import_sets", "import_question_set", help)
        kind.set_defaults(kind=name)
        kind.add_argument(
            "files", nargs="+", type=Path, metavar="FILE", help="files as they are published"
        )
        kind.add_argument(
            "--corpus", required=True, metavar="NAME", help="for the texts; made if missing"
        )
        kind.add_argument(
            "--dataset", required=True, metavar="NAME", help="for the questions; made if missing"
        )
        _taxonomy(kind, taxonomy)


def add_tables(imports: Commands) -> None:
    """Adds the kind that reads flat tables back."""
    tables = imports.add(
        "parquet", "import_sets", "import_parquet", "import the tables that `export parquet` wrote"
    )
    tables.add_argument("folder", type=Path, metavar="DIR", help="the exported folder")
    tables.add_argument(
        "--corpus", required=True, metavar="NAME", help="for the documents; made if missing"
    )
    tables.add_argument(
        "--dataset", required=True, metavar="NAME", help="for the items; made if missing"
    )
    _taxonomy(tables, "omnieval")


def _run(parser: argparse.ArgumentParser, dataset: str, *, required: bool = True) -> None:
    parser.add_argument(
        "--run",
        dest="run_name",
        required=required,
        metavar="NAME",
        help="what to call the run" if required else "what to call the run; without it, items",
    )
    parser.add_argument("--dataset", required=True, metavar=dataset, help="that was answered")
    parser.add_argument("--system", metavar="NAME", help="whose answers (default: the run's name)")
    parser.add_argument("--detach", action="store_true", help="return at once; the worker scores")


def _depth(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--k",
        type=int,
        metavar="N",
        help="deepest cut of ndcg@k and its like (default: 10 at most)",
    )


def _made(parser: argparse.ArgumentParser, *, taxonomy: str, judge: str) -> None:
    parser.add_argument(
        "--corpus", metavar="NAME", help="make the dataset from the files, on this corpus"
    )
    parser.add_argument(
        "--judge", default=judge, metavar="NAME", help=f"name of their scores (default {judge})"
    )
    _taxonomy(parser, taxonomy)


def _taxonomy(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--taxonomy", default=default, metavar="NAME", help=f"of a new dataset (default {default})"
    )
