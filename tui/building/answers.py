"""Answers to what the Build screen asks; runs in the process that computes, never in the app's."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import asdict

from engine.generate.generate_job import Generate
from engine.generate.inspect_job import Inspect
from engine.jobs.budget import Budget
from engine.jobs.model_choice import chosen_provider
from engine.jobs.operation import Operation
from engine.jobs.start import start
from engine.taxonomy.classify_job import Classify
from engine.taxonomy.stored import prune_taxonomy, save_taxonomy, taxonomy_of_file
from engine.taxonomy.topics_job import ProposeTopics
from store.errors import InputError
from store.workspace import Workspace
from tui.building.requests import (
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
        case PruneRequest():
            return _prune(workspace, request)
        case FileRequest():
            return _read(workspace, request)
    operation = _operation(request)
    if isinstance(request, ProposalRequest) or request.starts:
        return Built(job=start(workspace, operation).id)
    asks_model = chosen_provider(workspace, request.model) is not None
    estimate = asdict(operation.estimate(workspace))
    known = {name: estimate[name] for name in Built.__struct_fields__ if name in estimate}
    return Built(asks_model=asks_model, **known)


def _operation(
    request: DraftsRequest | TopicsRequest | VerdictsRequest | ProposalRequest,
) -> Operation:
    budget = Budget(request.bounds.max_tokens, request.bounds.max_cost)
    match request:
        case DraftsRequest():
            return _generate(request, budget)
        case TopicsRequest(corpus, taxonomy, model, again):
            return Classify(corpus, taxonomy, again, model=model, budget=budget)
        case VerdictsRequest(dataset, model):
            return Inspect(dataset, model=model, budget=budget)
        case ProposalRequest(corpus, name, model, domain, count, tasks_from):
            return ProposeTopics(
                corpus,
                name,
                domain,
                count=count,
                tasks_from=tasks_from,
                model=model,
                budget=budget,
            )


def _generate(request: DraftsRequest, budget: Budget) -> Generate:
    topics = tuple(dict.fromkeys(topic for topic, _, _ in request.targets))
    tasks = tuple(dict.fromkeys(task for _, task, _ in request.targets))
    own = {(topic, task): items for topic, task, items in request.targets}
    return Generate(
        request.corpus,
        request.dataset,
        1,
        topics,
        tasks,
        request.taxonomy,
        request.model,
        request.seed,
        tuple((topic, task, own.get((topic, task), 0)) for topic in topics for task in tasks),
        request.inspect_by,
        budget=budget,
    )


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
