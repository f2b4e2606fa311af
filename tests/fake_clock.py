"""A clock that a test moves by hand, and a sleep that moves it."""

from __future__ import annotations

import asyncio


class Clock:
    def __init__(self):
        self.now = 0.0
        self.slept = []

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
