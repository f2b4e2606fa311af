"""The tables of a chunk alone (FinanceRAG, Lee and Roh 2024)."""

from __future__ import annotations

from itertools import groupby

from msgspec import Struct

from engine.retrieve.refine.change import Change, ChunkText
from engine.retrieve.stage import NamedStage


class Options(Struct, frozen=True):
    pass


def _open(options: Options) -> Change:
    return _tables


def _tables(chunk: ChunkText) -> str:
    """The runs of lines that begin with a bar, a blank line between two; a chunk without any stays
    as it is."""
    runs = groupby(chunk.text.splitlines(), key=lambda line: line.lstrip().startswith("|"))
    tables = ["\n".join(lines) for is_table, lines in runs if is_table]
    return "\n\n".join(tables) or chunk.text


STAGE = NamedStage(Options, _open)
