"""Single pieces of work reach the children in batches, and every one gets its own result."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from engine.jobs.pool import LARGEST, Batches, CpuPool
from store.errors import InputError


class Pool:
    """Computes in this process, one turn of the event loop later, and notes the batches."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.batches: list[int] = []
        self.at_once = self.peak = 0

    async def call(self, function, batch):
        self.at_once += 1
        self.peak = max(self.peak, self.at_once)
        self.batches.append(len(batch))
        await asyncio.sleep(0)
        self.at_once -= 1
        return function(batch)


def halves(batch):
    return [10 // one for one in batch]


async def test_an_idle_child_gets_a_single_piece_at_once():
    pool = Pool(1)
    assert await Batches(pool, halves).call(5) == 2
    assert pool.batches == [1]


async def test_a_burst_is_shared_among_the_children_in_large_batches():
    pool = Pool(2)
    batches = Batches(pool, halves)
    results = await asyncio.gather(*(batches.call(number) for number in range(1, 101)))
    assert results == [10 // number for number in range(1, 101)]
    assert pool.peak == 4, "each child works on a batch and has another before it"
    assert max(pool.batches) == LARGEST
    assert sum(pool.batches) == 100


async def test_each_child_gets_its_share_of_what_waits():
    pool = Pool(4)
    batches = Batches(pool, halves)
    await asyncio.gather(*(batches.call(5) for _ in range(8)))
    assert pool.batches[:2] == [2, 2]
    assert 4 < pool.peak <= 8


async def test_work_that_comes_at_any_moment_is_done():
    batches = Batches(Pool(1), halves)

    async def ask(turns: int) -> int:
        for _ in range(turns):
            await asyncio.sleep(0)
        return await batches.call(5)

    results = asyncio.gather(*(ask(turns) for turns in range(40)))
    assert await asyncio.wait_for(results, 300) == [2] * 40


async def test_a_failure_is_raised_where_the_work_was_asked_for_and_ends_nothing_else():
    batches = Batches(Pool(1), halves)
    with pytest.raises(ZeroDivisionError):
        await batches.call(0)
    assert await batches.call(5) == 2


def test_there_are_as_many_children_as_the_settings_say_or_processors_allow(tmp_path: Path):
    assert CpuPool(tmp_path).size == max(1, len(os.sched_getaffinity(0)) - 1)
    settings = tmp_path / "ragdesk.toml"
    settings.write_text("[compute]\nchildren = 7\n", "utf-8")
    assert CpuPool(tmp_path).size == 7
    for wrong in ("children = 0", 'children = "all"', "threads = 2"):
        settings.write_text(f"[compute]\n{wrong}\n", "utf-8")
        with pytest.raises(InputError, match="compute"):
            _ = CpuPool(tmp_path).size
