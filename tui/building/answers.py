"""Answers to what the Build screen asks; runs in the process that computes, never in the app's."""

from __future__ import annotations

from pathlib import Path

from engine.evaluate.estimate import RequestCount
from engine.generate.estimate import estimate_generation
from engine.generate.inspect_job import estimate_inspect, queue_inspect
from engine.generate.setup import Wanted, queue_generation
from engine.jobs.launch import JobBudget, ensure_worker
from engine.models.settings import Provider, find_provider
from engine.taxonomy.classify_job import estimate_classify, queue_classify
from engine.taxonomy.stored import prune_taxonomy, save_taxonomy, taxonomy_of_file
from engine.taxonomy.topics_job import queue_topics
from store.errors import InputError
from store.jobs.jobs import Job
from store.records import ItemState
from store.workspace import Workspace
from tui.building.requests import (
    Bounds,
    BuildRequest,
    Built,
    DraftsRequest,
    FileRequest,
    ProposalRequest,
    PruneRequest,
    TopicsRequest,
    VerdictsRequest,
)


def build(workspace: Workspace, request: BuildRequest) -> Built:
    """Raises what the engine's function for it raises."""
    match request:
        case DraftsRequest():
            return _drafts(workspace, request)
        case TopicsRequest():
            return _topics(workspace, request)
        case VerdictsRequest():
            return _verdicts(workspace, request)
        case ProposalRequest():
            return _queued(
                workspace,
                queue_topics(
                    workspace,
                    request.corpus,
                    request.name,
                    model=request.model,
                    domain=request.domain,
                    tasks_from=request.tasks_from,
                    count=request.count,
                    budget=_budget(request.bounds),
                ),
            )
        case PruneRequest():
            return _prune(workspace, request)
        case FileRequest():
            return _read(workspace, request)


def _drafts(workspace: Workspace, request: DraftsRequest) -> Built:
    topics = tuple(dict.fromkeys(topic for topic, _, _ in request.targets))
    tasks = tuple(dict.fromkeys(task for _, task, _ in request.targets))
    own = {(topic, task): items for topic, task, items in request.targets}
    wanted = Wanted(
        request.corpus,
        request.dataset,
        1,
        topics,
        tasks,
        request.taxonomy,
        request.model,
        request.seed,
        tuple((topic, task, own.get((topic, task), 0)) for topic in topics for task in tasks),
    )
    if request.starts:
        budget = _budget(request.bounds)
        _, job = queue_generation(workspace, wanted, budget, inspect_by=request.inspect_by)
        return _queued(workspace, job)
    found = estimate_generation(workspace, wanted)
    return Built(
        asks_model=_provider(workspace, request.model) is not None,
        missing=found.missing,
        open_cells=found.open_cells,
        unreachable=found.unreachable,
        calls=found.calls,
        calls_at_most=found.calls_at_most,
        cached=found.cached,
        tokens_in=found.tokens_in,
        tokens_out=found.tokens_out,
        cost=found.cost,
        currency=found.currency,
    )


def _topics(workspace: Workspace, request: TopicsRequest) -> Built:
    if request.starts:
        return _queued(
            workspace,
            queue_classify(
                workspace,
                request.corpus,
                request.taxonomy,
                model=request.model,
                again=request.again,
                budget=_budget(request.bounds),
            ),
        )
    provider = _provider(workspace, request.model)
    if provider is None:
        return Built()
    count = estimate_classify(workspace, request.corpus, request.taxonomy, provider, request.again)
    return _counted(count, provider)


def _verdicts(workspace: Workspace, request: VerdictsRequest) -> Built:
    if request.starts:
        budget = _budget(request.bounds)
        job = queue_inspect(workspace, request.dataset, model=request.model, budget=budget)
        return _queued(workspace, job)
    provider = _provider(workspace, request.model)
    if provider is None:
        return Built()
    count = estimate_inspect(workspace, request.dataset, provider, (ItemState.DRAFTED,))
    return _counted(count, provider)


def _prune(workspace: Workspace, request: PruneRequest) -> Built:
    with workspace.write() as db:
        made, freed = prune_taxonomy(
            db,
            request.taxonomy,
            drop=request.drop,
            rename=request.rename,
            lang=request.lang,
            new_name=request.new_name,
        )
    return Built(taxonomy=made.key, freed=freed)


def _read(workspace: Workspace, request: FileRequest) -> Built:
    path = Path(request.path).expanduser()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    made = taxonomy_of_file(
        workspace.db, data, str(path), name=request.name, tasks_from=request.tasks_from
    )
    with workspace.write() as db:
        freed = save_taxonomy(db, made, f"imported from {path.name}")
    return Built(taxonomy=made.key, freed=freed)


def _queued(workspace: Workspace, job: Job) -> Built:
    ensure_worker(workspace)
    return Built(job=job.id)


def _counted(count: RequestCount, provider: Provider) -> Built:
    return Built(
        asks_model=True,
        calls=count.calls,
        calls_at_most=count.calls,
        cached=count.cached,
        tokens_in=count.tokens_in,
        tokens_out=count.tokens_out,
        cost=count.cost if provider.prices else None,
        currency=count.currency,
    )


def _provider(workspace: Workspace, model: str) -> Provider | None:
    """The model that would be asked; its key is not needed to estimate."""
    found = find_provider(workspace.folder, model)
    return None if found.kind == "offline" else found


def _budget(bounds: Bounds) -> JobBudget:
    return JobBudget(bounds.max_tokens, bounds.max_cost)
