"""The rankings of runs in the format of trec_eval, with judgements that give our values there."""

from __future__ import annotations

import array
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.exporters.runs import RunExport, query_id
from engine.metrics.evidence import credit, unit_grades
from engine.retrieve.hidden import findable_evidence
from store.errors import InputError
from store.formats.folder import ExportFolder
from store.records import Evidence, Hit, ReleasedItem


def write(exports: Sequence[RunExport], kind: str, folder: ExportFolder) -> dict[str, int]:
    """`RUN.trec` and `RUN.qrels` of the first repeat of every turn.

    A passage that is a whole document has the document's name, another `DOCUMENT:START-END`. What
    is judged is the passage: it is relevant with the grade of the evidence that it is the first to
    hold. Evidence that no passage holds is judged by names of its own, which nothing retrieved.
    """
    rankings = judgements = shared = 0
    for one in exports:
        lists: list[bytes] = []
        judged: list[bytes] = []
        tag = "_".join(one.folder.split())
        for row in one.predictions():
            if row["repeat"] or row["retrieved"] is None:
                continue
            item = one.items[row["item"]]
            query = _word(query_id(row, item))
            found = ranking(one, item, row)
            for rank, (name, score) in enumerate(found.scores.items(), 1):
                lists.append(f"{query} Q0 {_word(name)} {rank} {score!r} {tag}".encode())
            shared += found.shared
            judged += [
                f"{query} 0 {_word(name)} {grade}".encode() for name, grade in found.judged.items()
            ]
        folder.data(f"{one.folder}.trec", _text(lists), len(lists))
        folder.data(f"{one.folder}.qrels", _text(judged), len(judged))
        rankings += len(lists)
        judgements += len(judged)
    return {"ranked passages": rankings, "judgements": judgements, SHARED: shared}


class Ranking(Struct, frozen=True):
    """What a turn's passages are to trec_eval."""

    scores: dict[str, float]
    """By the name of each passage, best first: they fall, also in single precision."""
    judged: dict[str, int]
    """The grade of every passage that is the first to hold evidence, and of evidence that none
    holds, by names that nothing retrieved has."""
    shared: int
    """Passages that hold several pieces of evidence: there our values are others by definition."""


def ranking(one: RunExport, item: ReleasedItem, row: dict[str, Any]) -> Ranking:
    """The ranking of a row of `v1_predictions` that retrieved something."""
    hits = [
        Hit(hit["document_id"], hit["start"], hit["end"], hit["score"]) for hit in row["retrieved"]
    ]
    names = _names(one, hits)
    evidence = findable_evidence(one.db, one.corpus, item.content, row["turn"])
    judged, shared = _judgements(evidence, hits, names)
    return Ranking(dict(zip(names, _scores(hits), strict=True)), dict(judged), shared)


SHARED = "passages that hold several pieces of evidence"
"""Counted in the manifest: only there do our values differ from those of trec_eval."""


def recount(folder: Path) -> dict[str, int]:
    """Counts the lines of the files."""
    counted = {"ranked passages": "*.trec", "judgements": "*.qrels"}
    return {
        name: sum(file.read_bytes().count(b"\n") for file in folder.glob(pattern))
        for name, pattern in counted.items()
    }


def _names(one: RunExport, hits: Sequence[Hit]) -> list[str]:
    """A name for each rank; what comes again has its rank behind it, so that it keeps its rank."""
    names: dict[str, None] = {}
    for rank, hit in enumerate(hits, 1):
        is_whole = hit.start == 0 and hit.end >= len(one.text(hit.document_id))
        name = one.name_of(hit.document_id) if is_whole else hit.chunk_id
        names[f"{name}~{rank}" if name in names else name] = None
    return list(names)


def _scores(hits: Sequence[Hit]) -> list[float]:
    """The scores, where they fall in single precision as trec_eval compares them; else a number
    for each rank that does."""
    single = array.array("f", [hit.score for hit in hits])
    falls = all(after < before for before, after in pairwise(single))
    return [hit.score for hit in hits] if falls else [float(n) for n in range(len(hits), 0, -1)]


def _judgements(
    evidence: Sequence[Evidence], hits: Sequence[Hit], names: Sequence[str]
) -> tuple[list[tuple[str, int]], int]:
    """(name, grade) of everything that is judged, and how many passages hold several units."""
    grades = unit_grades(evidence)
    credits = credit(hits, evidence)
    judged = [
        (name, sum(grades[unit] for unit in gained))
        for name, gained in zip(names, credits, strict=True)
        if gained
    ]
    inside = {unit for gained in credits for unit in gained}
    missing = [(f"not-retrieved-{unit}", grades[unit]) for unit in grades if unit not in inside]
    return judged + missing, sum(len(gained) > 1 for gained in credits)


def _word(name: str) -> str:
    if any(character.isspace() for character in name):
        raise InputError(
            f"{name!r} holds white space, which trec_eval's format cannot hold.",
            "Export another kind.",
        )
    return name


def _text(lines: Sequence[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)
