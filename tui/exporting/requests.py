"""What is asked for on the Export screen.

Not in `tui.calculator_process`, which is another module, `__main__`, where it runs: what is decoded
there would be of no class that others know.
"""

from __future__ import annotations

import msgspec

from store.records import ItemState


class DatasetExport(msgspec.Struct, frozen=True, tag=True):
    """The items of a dataset or release, in a layout."""

    kind: str
    dataset: str
    states: tuple[ItemState, ...] = ()
    topics: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    side: str = ""
    anonymous: bool = False


class JudgeDataExport(msgspec.Struct, frozen=True, tag=True):
    """Labels as training data for judges; an empty list is all there are."""

    sample: str = ""
    runs: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    reply: str = "value"
    rationale: bool = False
    soft: bool = False
    anonymous: bool = False
