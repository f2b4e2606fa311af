"""The layouts in which a dataset can be exported: a line for each, read by commands and the app."""

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
