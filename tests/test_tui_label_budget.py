"""A scripted rater while an evaluation goes on: one key an item, and few bytes a key.

How long keys took is printed (`pytest -s`), and asked of nobody here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from inspection_workspaces import inspection_workspace, seeded_scores
from scripted_rater import BYTES, TYPED, Rater, at_work, evaluation

from store.labels.log import reading
from store.verify import verify
from store.workspace import open_workspace

SIZES = [(80, 24), (120, 40)]
TEXT = "不低于，中a文 1。“字”x"


def assert_within_budgets(rater: Rater) -> None:
    for what in BYTES:
        if rater.of(what):
            most = rater.most(what)
            assert most.excess <= 0, most


def work(folder: Path, size: tuple[int, int], items: int) -> Rater:
    """Judge so many items, look around in the next, and correct it; then scroll a list."""
    keys = seeded_scores(items)
    with at_work(folder, size) as rater:
        assert rater.score(keys) == list(range(1, items + 1))
        rater.look_around(4)
        rater.correct(TEXT)
        rater.terminal.press("escape")
        rater.terminal.wait_for("propose")
        rater.terminal.press("enter")
        rater.terminal.wait_for(" 5 excellent")
        rater.scroll_list(6)
    with open_workspace(folder) as workspace:
        assert verify(workspace.db).ok
        values = [one.value for one in reading.events(workspace.db, "inspection", rater="r1")]
    assert values[:items] == [int(key) for key in keys]
    return rater


def work_beside_evaluation(folder: Path, size: tuple[int, int], items: int) -> Rater:
    with evaluation(folder) as answered:
        began = answered()
        rater = work(folder, size, items)
        assert answered() > began, "no evaluation was going on"
    return rater


@pytest.mark.parametrize(("size", "how"), [(SIZES[0], work_beside_evaluation), (SIZES[1], work)])
def test_a_key_an_item_and_few_bytes_a_key(
    tmp_path: Path, size: tuple[int, int], how: Callable[[Path, tuple[int, int], int], Rater]
) -> None:
    inspection_workspace(tmp_path / "ws", 40, documents=60, characters=3000).close()
    assert_within_budgets(how(tmp_path / "ws", size, 2))


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_the_same_with_ten_thousand_items(tmp_path: Path, size: tuple[int, int]) -> None:
    inspection_workspace(tmp_path / "ws", 10_000, documents=200, characters=6000).close()
    rater = work_beside_evaluation(tmp_path / "ws", size, 200)
    for what in BYTES:
        half, most = (1000 * rater.seconds(what, share) for share in (0.5, 0.99))
        print(f"\n{size} {what}: {half:.0f} ms, p99 {most:.0f} ms, {rater.most(what)}")
    assert_within_budgets(rater)
    assert len(rater.of(TYPED)) == len(TEXT)
