"""Ten raters at terminals of their own in one file, a run beside: nothing is lost or locked."""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
from inspection_workspaces import inspection_workspace
from scripted_rater import NEXT, at_work, evaluation, saved, wait_to_label

from store.verify import verify
from store.workspace import open_workspace

FORK = multiprocessing.get_context("fork")
RATERS = tuple(f"rater{number}" for number in range(10))
MINUTES = float(os.environ.get("RAGDESK_MINUTES", "10"))
PACE_S = (0.5, 2.0)
"""Seconds between two labels of a rater, drawn for each."""


def rate(folder: Path, name: str, until: float, results: Any) -> None:
    """Labels until then; puts the numbers that were shown as saved, and how long each next item
    took."""
    draw = random.Random(name)
    shown, seconds, locked = [], [], 0
    with at_work(folder, (120, 40), "--rater", name) as rater:
        while time.monotonic() < until:
            wait_to_label()
            time.sleep(draw.uniform(*PACE_S))
            rater.press(NEXT, draw.choice("45"))
            shown.append(saved(rater.terminal.text))
            locked += "locked" in rater.terminal.text
        seconds = [one.seconds for one in rater.of(NEXT)]
    results.put((name, shown, seconds, locked))


@pytest.mark.slow
def test_ten_raters_at_once_lose_no_label_while_a_run_goes_on(tmp_path: Path) -> None:
    items = int(MINUTES * 60) + 50
    folder = tmp_path / "ws"
    inspection_workspace(folder, items, raters_wanted=len(RATERS)).close()
    with evaluation(folder, repeats=1000) as answered:
        before = answered()
        results = FORK.Queue()
        until = time.monotonic() + 60 * MINUTES
        raters = [FORK.Process(target=rate, args=(folder, name, until, results)) for name in RATERS]
        for one in raters:
            one.start()
        found = [results.get(timeout=60 * MINUTES + 120) for _ in raters]
        for one in raters:
            one.join()
        answers = answered() - before
    with open_workspace(folder) as workspace:
        stored = set(workspace.db.execute("SELECT rater, seq FROM label_event").fetchall())
        assert verify(workspace.db).ok
    shown = [(name, number) for name, numbers, *_ in found for number in numbers]
    times = sorted(one for *_, seconds, _ in found for one in seconds)
    p50, p99 = (times[int(share * (len(times) - 1))] * 1000 for share in (0.5, 0.99))
    assert set(shown) <= stored
    assert sum(locked for *_, locked in found) == 0
    assert answers > 0
    print(
        f"\n{len(RATERS)} raters for {MINUTES:g} min: {len(shown)} labels shown as saved, none"
        f" lost; next item {p50:.0f} ms p50, {p99:.0f} ms p99; {answers} answers of a run beside"
    )
