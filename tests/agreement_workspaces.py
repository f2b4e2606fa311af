"""Workspaces in which three raters have labelled the answers of a run, and one of them wavers."""

from __future__ import annotations

import random
from pathlib import Path

from judged_workspaces import ITEMS, Desk

RATERS = ("li", "wang", "zhao")
WAVERS = 0.3
"""How often a rater says something else than what is so."""


def labelled_desk(folder: Path) -> Desk:
    """Two judges; three raters who differ on the accuracy of some answers. Left open."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Desk(folder)
    made.judge("gpt")
    draw = random.Random(1)
    for rater in RATERS:
        for at in range(ITEMS):
            value = made.truth(at) if draw.random() > WAVERS else draw.choice((0, 1, 2))
            made.label(rater, at, value)
    return made
