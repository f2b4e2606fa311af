"""Drawing what is to be labelled: a quota in every cell, even over strata, seeded: pure."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from store.labels.samples.samples import Assignment, Candidate

Cell = tuple[str, str]


def cell_of(candidate: Candidate) -> Cell:
    return candidate.topic, candidate.task


def draw(
    candidates: Iterable[Candidate], quota: int, seed: int, taken: Sequence[Candidate] = ()
) -> list[Candidate]:
    """Candidates that fill every cell up to `quota`, those `taken` before counted.

    Within a cell the stratum with fewest drawn comes first, so that strata (systems, a judge's
    values) are as even as the candidates allow and rare ones are taken whole; groups that have one
    come after groups that have none; within these the order is that of a seeded hash of the
    subject, so that it does not depend on what else there is. The draws of all cells are dealt out
    in turn.
    """
    have = {one.subject for one in taken}
    open_by_cell: defaultdict[Cell, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.subject not in have:
            open_by_cell[cell_of(candidate)].append(candidate)
    columns = [
        _draw_cell(open_by_cell[cell], quota, seed, [one for one in taken if cell_of(one) == cell])
        for cell in sorted(open_by_cell)
    ]
    longest = max((len(column) for column in columns), default=0)
    return [column[row] for row in range(longest) for column in columns if row < len(column)]


def shortfall(
    candidates: Iterable[Candidate], quota: int, taken: Sequence[Candidate] = ()
) -> dict[Cell, int]:
    """How many each cell lacks of its quota even if all its candidates are drawn."""
    subjects = {one.subject: cell_of(one) for one in (*candidates, *taken)}
    counts = Counter(subjects.values())
    return {cell: quota - count for cell, count in sorted(counts.items()) if count < quota}


def with_repeats(
    drawn: Sequence[Candidate], raters_wanted: int, repeat_share: float, seed: int
) -> list[Assignment]:
    """Assignments of what was drawn, and after them a share of it again, hidden.

    `repeat_share`, 0 to 1, is rounded to a whole number of subjects; a repeat is given to the
    raters who labelled the subject the first time, so that their self-consistency is known.
    """
    if not 0 <= repeat_share <= 1:
        raise ValueError("repeat_share is a share, 0 to 1")
    again = list(drawn)
    random.Random(f"repeats {seed}").shuffle(again)
    first = [Assignment(candidate, raters_wanted) for candidate in drawn]
    second = [
        Assignment(_again(candidate), raters_wanted, repeats=candidate.subject)
        for candidate in again[: round(repeat_share * len(drawn))]
    ]
    return first + second


def _again(candidate: Candidate) -> Candidate:
    return Candidate(
        subject=f"{candidate.subject}#1",
        topic=candidate.topic,
        task=candidate.task,
        stratum=candidate.stratum,
        group_key=candidate.group_key,
        not_applicable=candidate.not_applicable,
    )


def _draw_cell(
    candidates: Sequence[Candidate], quota: int, seed: int, taken: Sequence[Candidate]
) -> list[Candidate]:
    strata = Counter(one.stratum for one in taken)
    groups = Counter(one.group_key for one in taken if one.group_key)
    left = sorted(candidates, key=lambda one: _place(one, seed))
    out: list[Candidate] = []
    while left and len(taken) + len(out) < quota:
        best = min(
            range(len(left)),
            key=lambda at: (strata[left[at].stratum], groups[left[at].group_key], at),
        )
        chosen = left.pop(best)
        strata[chosen.stratum] += 1
        if chosen.group_key:
            groups[chosen.group_key] += 1
        out.append(chosen)
    return out


def _place(candidate: Candidate, seed: int) -> bytes:
    return blake2b(f"{seed} {candidate.subject}".encode(), digest_size=8).digest()
