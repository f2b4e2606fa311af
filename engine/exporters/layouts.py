"""The layouts of exported datasets and runs: a line for each, read by commands and the app."""

from __future__ import annotations

from typing import NamedTuple


class Layout(NamedTuple):
    """A layout for the items of a dataset.

    `module` is imported when the layout is written or counted again. It has
    `write(workspace, scope, folder) -> counts`, which writes the files, and
    `recount(folder) -> counts`, which counts them again from the files alone.
    """

    module: str
    help: str
    """What `export KIND --help` says that it does."""
    label: str
    """The same for a line of the Export screen, in at most 31 cells."""
    example: str
    """A dataset and a folder for an example."""
    note: str = ""
    """What the layout cannot say."""
    takes_every_state: bool = False
    """Whether a head's items of all states are written where none is asked for, not the accepted
    ones alone."""
    version: int = 1


LAYOUTS = {
    "items": Layout(
        "engine.exporters.archive",
        "write a dataset with all its history, to be imported elsewhere",
        "complete; can be imported again",
        "--dataset mine@1 --out exports/mine",
        takes_every_state=True,
    ),
    "omnieval": Layout(
        "engine.exporters.omnieval",
        "write a dataset in the layout of OmniEval's authors",
        "items in OmniEval's layout",
        "--dataset mine --out exports/omnieval",
        note="keys, states, offsets, grades, languages, hidden documents and most facets have"
        " no place",
    ),
    "beir": Layout(
        "engine.exporters.beir",
        "write a dataset as corpus.jsonl, queries.jsonl and qrels/test.tsv",
        "items as a BEIR folder",
        "--dataset mine@1 --split test --out exports/beir",
        note="each turn is a query of its own; quotes and hidden documents have no place here",
    ),
    "parquet": Layout(
        "engine.exporters.parquet",
        "write a dataset as flat tables",
        "tables; needs the extra parquet",
        "--dataset mine@1 --out exports/tables",
    ),
}
"""By the word that follows `export` and names the format in a manifest."""


class RunLayout(NamedTuple):
    """A layout for runs. `module` has `write(exports, kind, folder) -> counts` and
    `recount(folder) -> counts`."""

    module: str
    help: str
    label: str
    """The same for a line of the Export screen, in at most 31 cells."""
    note: str = ""
    """What the layout cannot say."""
    holds_scores: bool = False
    holds_pending: bool = False
    """Whether it has a row for what is still to be answered."""


RUN_LAYOUTS = {
    "jsonl": RunLayout(
        "engine.exporters.run_tables",
        "a folder a run, can be imported again",
        "a folder a run; imports again",
        holds_scores=True,
    ),
    "csv": RunLayout(
        "engine.exporters.run_tables",
        "predictions.csv and scores.csv",
        "predictions.csv and scores.csv",
        holds_scores=True,
        holds_pending=True,
    ),
    "parquet": RunLayout(
        "engine.exporters.run_tables",
        "the same as Parquet",
        "tables; needs the extra parquet",
        holds_scores=True,
        holds_pending=True,
    ),
    "sqlite": RunLayout(
        "engine.exporters.run_tables",
        "the same as tables of runs.sqlite",
        "tables of runs.sqlite",
        holds_scores=True,
        holds_pending=True,
    ),
    "trec": RunLayout(
        "engine.exporters.run_trec",
        "rankings and judgements for trec_eval",
        "rankings for trec_eval, qrels",
        note="answers, scores and further repeats have no place here",
    ),
    "omnieval": RunLayout(
        "engine.exporters.run_authors",
        "prediction files of OmniEval",
        "prediction files of OmniEval",
        note="scores and further repeats have no place here; what failed is an empty text to the"
        " authors' code, which counts it 0",
    ),
    "crud": RunLayout(
        "engine.exporters.run_authors",
        "output files of CRUD-RAG",
        "output files of CRUD-RAG",
        note="passages, other tasks and further repeats have no place here",
    ),
    "financerag": RunLayout(
        "engine.exporters.run_authors",
        "results.csv, results.json and output.jsonl of FinanceRAG",
        "FinanceRAG's results and output",
        note="scores, places in documents and further repeats have no place here",
    ),
}
"""By the word that follows `export run --as`; a manifest calls it `run-WORD`."""
