"""Draws of samples in which every candidate had a known chance, with all that rebuilds them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from store.clock import now_text
from store.hashing import canonical_json, content_hash
from store.labels.samples.samples import Sample


class Chance(Struct, frozen=True):
    """A candidate of a draw."""

    unit: str
    """What is drawn: the number of an answer, or of two to the same question as `12:345`."""
    group_key: str
    chance: float
    """Of being drawn, above 0, at most 1."""
    uncertainty: float
    """What the chance rests on beside the uniform share."""
    verdict: float | None
    """The judge's value then, on [0, 1]; of two answers the difference."""
    place: int | None = None
    """Where it came in the draw, from 0; null for one that was not drawn."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The subjects of the assignments that it becomes."""
        return tuple(self.unit.split(":"))


class Draw(Struct, frozen=True):
    """A draw, without its chances."""

    id: int
    number: int
    """Within its sample, from 1."""
    wanted: int
    """Units that were drawn."""
    seed: int
    rule: dict[str, Any]
    """What the chances follow from: what for, metric, judges with their hashes, shares."""
    frame_hash: str
    """Of all candidates with their groups, chances and uncertainties."""
    drawn_at: str


def add(
    db: sqlite3.Connection,
    sample: Sample,
    chances: Sequence[Chance],
    *,
    seed: int,
    rule: dict[str, Any],
) -> Draw:
    """Stores a draw with all its candidates, drawn or not."""
    (last,) = db.execute(
        "SELECT coalesce(max(number), 0) FROM draw WHERE sample_id = ?", (sample.id,)
    ).fetchone()
    wanted = sum(one.place is not None for one in chances)
    (id,) = db.execute(
        "INSERT INTO draw (sample_id, number, wanted, seed, rule, frame_hash, drawn_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            sample.id,
            last + 1,
            wanted,
            seed,
            canonical_json(rule).decode(),
            frame_hash(chances),
            now_text(),
        ),
    ).fetchone()
    db.executemany(
        "INSERT INTO draw_chance (draw_id, unit, group_key, chance, uncertainty, verdict, place)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (id, one.unit, one.group_key, one.chance, one.uncertainty, one.verdict, one.place)
            for one in chances
        ),
    )
    return next(one for one in of_sample(db, sample) if one.id == id)


def frame_hash(chances: Iterable[Chance]) -> str:
    """The hash of the candidates with what decided on them, in whatever order they come."""
    rows = sorted((one.unit, one.group_key, one.chance, one.uncertainty) for one in chances)
    return content_hash([list(row) for row in rows])


def of_sample(db: sqlite3.Connection, sample: Sample) -> list[Draw]:
    """The draws of a sample in their order; none for a sample that was drawn by quota."""
    rows = db.execute(
        "SELECT id, number, wanted, seed, rule, frame_hash, drawn_at FROM draw"
        " WHERE sample_id = ? ORDER BY number",
        (sample.id,),
    )
    return [
        Draw(id, number, wanted, seed, msgspec.json.decode(rule), hash, at)
        for id, number, wanted, seed, rule, hash, at in rows
    ]


def has_any(db: sqlite3.Connection) -> bool:
    """Whether any sample was drawn by chances."""
    return db.execute("SELECT 1 FROM draw LIMIT 1").fetchone() is not None


def chances(db: sqlite3.Connection, draw: Draw, *, drawn_only: bool = False) -> list[Chance]:
    """The candidates of a draw by unit; with `drawn_only` those drawn, in their order."""
    only = " AND place IS NOT NULL ORDER BY place" if drawn_only else " ORDER BY unit"
    rows = db.execute(
        "SELECT unit, group_key, chance, uncertainty, verdict, place FROM draw_chance"
        " WHERE draw_id = ?" + only,
        (draw.id,),
    )
    return [Chance(*row) for row in rows]
