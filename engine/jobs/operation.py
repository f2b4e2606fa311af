"""The protocol of background work: an operation is what a command or a screen asks for, the
message between processes, and the stored parameters of its job.

A room defines an operation as one frozen struct, tagged with its kind of job. `queue` puts it
into the queue, and the worker calls its `run` until that returns.
"""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine.jobs.registry import OPERATIONS
from engine.models.settings import Provider
from store.errors import Conflict, UsageError
from store.jobs import jobs
from store.jobs.jobs import Job
from store.records import JobState
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.jobs.context import JobContext


class Estimate(Struct, frozen=True):
    """What a job would take. Tokens and cost are those of the calls that the cache does not save.

    All 0 for a job that asks no model. A room adds what else its jobs count.
    """

    calls: int = 0
    """Those whose replies are in the cache included."""
    cached: int = 0
    """Replies that are there already, or will be once an equal request of the job was answered."""
    tokens_in: int = 0
    tokens_out: int = 0
    """An upper bound where the provider's `max_tokens` gives one."""
    cost: float | None = None
    """Null without prices, and where they are in several currencies."""
    currency: str | None = None

    @staticmethod
    def total(estimates: Sequence[Estimate]) -> Estimate:
        """The sum of several."""
        costs = [one.cost for one in estimates if one.cost is not None]
        currencies = {one.currency for one in estimates}
        is_priced = len(costs) == len(estimates) and len(currencies) == 1
        return Estimate(
            sum(one.calls for one in estimates),
            sum(one.cached for one in estimates),
            sum(one.tokens_in for one in estimates),
            sum(one.tokens_out for one in estimates),
            sum(costs) if is_priced else None,
            currencies.pop() if is_priced else None,
        )


LARGEST_BOUND = 10**12
"""A larger budget, of tokens or money, is a slip of the hand."""


class Budget(Struct, frozen=True, omit_defaults=True):
    """What a job may spend before it pauses; null means no bound. Cached replies are free."""

    max_tokens: int | None = None
    max_cost: float | None = None
    """In the currency of the provider's prices."""

    def check(self, provider: Provider | None) -> None:
        """Raises UsageError for a bound that is not positive or that bounds nothing, or on money
        without any prices."""
        for name, bound, option in (
            ("tokens", self.max_tokens, "--max-tokens"),
            ("money", self.max_cost, "--max-cost"),
        ):
            if bound is not None and not bound > 0:
                raise UsageError(
                    f"The budget of {name} is {bound:g}.", "Use a number above 0.", option
                )
            if bound is not None and bound > LARGEST_BOUND:
                raise UsageError(
                    f"The budget of {name} is {bound:g}, which bounds nothing.",
                    f"Use a number up to {LARGEST_BOUND:,}, or leave it out.",
                    option,
                )
        if self.max_cost is not None and provider is not None and provider.prices is None:
            kind = provider.title.partition(" ")[0].lower()
            raise UsageError(
                f"A budget of money needs prices, and {kind} {provider.name} states none.",
                f"State them in ragdesk.toml under [{kind}s.{provider.name}.prices], or bound the"
                " tokens.",
                "--max-tokens",
            )

    def changed_by(self, other: Budget) -> Budget:
        """This budget with the bounds that `other` has in place of its own."""
        return Budget(
            self.max_tokens if other.max_tokens is None else other.max_tokens,
            self.max_cost if other.max_cost is None else other.max_cost,
        )


E = TypeVar("E", bound=Estimate, covariant=True)

TAG = "operation"
"""The field that names the kind of an operation where it is encoded."""

Progress = Callable[[int, int], None]
"""Called with what is done of an estimate and what there is in all."""


def no_progress(done: int, total: int) -> None:
    """The progress callback for a caller who does not watch."""


class Operation(Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field=TAG):
    """A job as it is asked for. What may change before it is done is frozen by `enqueue`: a
    provider's settings, the texts of prompts, what a name stands for."""

    budget: Budget = Budget()

    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)

    @abstractmethod
    def check(self, workspace: Workspace) -> None:
        """Raises a RagdeskError where the job would be refused; changes nothing."""

    @abstractmethod
    def estimate(self, workspace: Workspace, progress: Progress = no_progress) -> Estimate:
        """What the job would take, as far as that can be known; asks no model. What `check`
        refuses may be estimated all the same, such as a job of a model whose key is not set."""

    @abstractmethod
    def enqueue(self, workspace: Workspace) -> Job:
        """The job in the queue, with what has to be frozen; called inside a transaction, after
        `check`. Ends with `put`."""

    @abstractmethod
    async def run(self, context: JobContext) -> None:
        """Does what is left to do, read from the rows, so that the same code begins and resumes.

        Raises Stopped when it has to end before that, RagdeskError when it cannot be done.
        """

    def failed(self, db: sqlite3.Connection) -> int:
        """How many of its results `reopen_failed` would mark, for a job that belongs to no run."""
        return 0

    def reopen_failed(self, db: sqlite3.Connection) -> str:
        """Marks what failed as still to be done; says in words what that is, empty for nothing.

        Raises Conflict where it cannot be done again.
        """
        return ""

    def failure(self, db: sqlite3.Connection, job_id: int) -> str:
        """Says of a job that is done that nothing came of it, and what to do; empty otherwise."""
        return ""


def queue(workspace: Workspace, operation: Operation) -> Job:
    """The operation's job, checked and put into the queue in one transaction; no worker is
    started. Raises what `operation.check` raises, and Conflict for one about something archived."""
    with workspace.write():
        operation.check(workspace)
        return operation.enqueue(workspace)


class Estimated(Protocol[E]):
    """What can be checked and estimated; `E` is the type of its estimate."""

    def check(self, workspace: Workspace) -> None: ...
    def estimate(self, workspace: Workspace, progress: Progress = ...) -> E: ...


def dry_run(workspace: Workspace, operation: Estimated[E], progress: Progress = no_progress) -> E:
    """What the operation would take; refuses exactly what `queue` refuses, and changes nothing."""
    operation.check(workspace)
    return operation.estimate(workspace, progress)


def put(
    db: sqlite3.Connection, operation: Operation, title: str, *, run_id: int | None = None
) -> Job:
    """A job in the queue that does `operation` as it stands, with nothing more to freeze."""
    return jobs.enqueue(db, operation.kind, title, params=encoded(operation), run_id=run_id)


def encoded(operation: Operation) -> dict[str, Any]:
    """The operation as plain values, as it is stored and sent; its kind stands in `operation`."""
    params: dict[str, Any] = msgspec.to_builtins(operation)
    return params


def operation_class(kind: str) -> type[Operation]:
    """The class of the operations of a kind. Raises ValueError for a kind that there is not."""
    if kind not in OPERATIONS:
        raise ValueError(f"no job is of kind {kind!r}")
    module, _, name = OPERATIONS[kind].partition(":")
    found: type[Operation] = getattr(import_module(module), name)
    return found


def decoded(params: dict[str, Any]) -> Operation:
    """The operation that `encoded` gave."""
    return msgspec.convert(params, operation_class(params[TAG]))


def stored_operation(job: Job) -> Operation:
    """The operation that a job stores. Raises Conflict for a job that came with an archive: what
    it was asked for is not known."""
    if TAG not in job.params:
        raise Conflict(f"Job {job.id} came with an archive; it cannot be done again.")
    return decoded(job.params)


def change_budget(db: sqlite3.Connection, job: Job, budget: Budget) -> None:
    """Replaces the bounds of a job that `budget` has; a running one sees them when it resumes."""
    operation = stored_operation(job)
    changed = replace(operation, budget=operation.budget.changed_by(budget))
    jobs.set_params(db, job.id, encoded(changed))


def retry_failed(workspace: Workspace, job_id: int) -> Job:
    """The job that does again what failed in job `job_id`, back in the queue.

    A job that is done stays as it is and gets a successor. Raises Conflict when the job is at
    work, when nothing failed in it, and what its `reopen_failed` raises.
    """
    with workspace.write() as db:
        job = jobs.get(db, job_id)
        if job.state is JobState.RUNNING and not job.interrupted:
            raise Conflict(f"Job {job_id} is at work.", "Wait until it is done, or pause it.")
        failed = stored_operation(job).reopen_failed(db)
        if not failed:
            raise Conflict(f"Nothing failed in job {job_id}.")
        if job.state is JobState.DONE:
            job = jobs.enqueue(db, job.kind, job.title, params=job.params, run_id=job.run_id)
        else:
            job = jobs.resume(db, job_id)
        jobs.note(db, job.id, "retry", f"asks again for {failed}")
    return job
