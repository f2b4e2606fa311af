"""The request for items that a generation is given, and the estimate of its cost."""

from __future__ import annotations

from collections.abc import Sequence

from engine.jobs.operation import Estimate, Operation


class ItemsAsked(Operation, frozen=True):
    """Items of each topic and task, by names; empty topics and tasks are all of the taxonomy's."""

    corpus: str
    dataset: str
    """Made if missing."""
    per_cell: int
    topics: tuple[str, ...] = ()
    """Keys; `unassigned` for the documents that have none, which are left alone otherwise."""
    tasks: tuple[str, ...] = ()
    taxonomy: str = ""
    """Of a new dataset; by default `omnieval`, or that of the dataset there is."""
    model: str = ""
    """A provider's name; empty or `offline` for drafts by rule."""
    seed: int = 0
    targets: tuple[tuple[str, str, int], ...] = ()
    """Cells with a target of their own: topic, task, items. 0 leaves a cell out."""
    related_by: str = ""
    """The retriever that chooses other reports for items that hide the one they were made from."""


class GenerationEstimate(Estimate, frozen=True, kw_only=True):
    """The cost of a generation if every call gave the items that it is asked for.

    `calls` is the least; of drafts by rule, the documents drafted from.
    """

    model: str
    """As statistics name it; `offline` for drafts by rule."""
    cells: int
    open_cells: int
    """Cells below their target."""
    unreachable: int
    """Of those, the ones that nothing can be tried for."""
    missing: int
    """Items that the targets still ask for."""
    calls_at_most: int
    """When no document gives anything and every reply has to be asked for again."""
    absent_prompts: tuple[str, ...] = ()
    """Prompts that the taxonomy names for tasks and that are nowhere, `LANG/ID`."""
    for_models: tuple[str, ...] = ()
    """Tasks that were asked for by rule and that only a model writes."""


def only_models_write(tasks: Sequence[str]) -> str:
    """The sentence on tasks that no rule writes; empty where there are none."""
    return f"only a model writes items of {', '.join(tasks)}" if tasks else ""


def stands_in(absent_prompts: Sequence[str]) -> str:
    """The sentence on prompts that are named and are nowhere; empty where there are none."""
    if not absent_prompts:
        return ""
    return (
        f"generate/task writes the items of tasks whose prompts are not there:"
        f" {', '.join(absent_prompts)}"
    )
