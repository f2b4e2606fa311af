"""What is asked of an operation beside the app: an estimate, or a place in the queue.

An operation travels as plain values, and its module is imported where the query is answered.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from engine.jobs.estimate import Estimate
from engine.jobs.operation import Operation, decoded, encoded
from engine.jobs.start import start
from store.jobs.jobs import Job
from store.workspace import Workspace


class EstimateQuery(Struct, frozen=True):
    """What an operation would take of a model."""

    operation: dict[str, Any]

    @classmethod
    def of(cls, operation: Operation) -> EstimateQuery:
        return cls(encoded(operation))

    def answer(self, workspace: Workspace) -> Estimate:
        """Raises what the operation's `estimate` raises."""
        return decoded(self.operation).estimate(workspace)


class QueueQuery(Struct, frozen=True):
    """Have an operation put into the queue, with a worker that will do it."""

    operation: dict[str, Any]

    @classmethod
    def of(cls, operation: Operation) -> QueueQuery:
        return cls(encoded(operation))

    def answer(self, workspace: Workspace) -> Job:
        """Raises what `start` raises."""
        return start(workspace, decoded(self.operation))
