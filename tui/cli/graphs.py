"""The commands on entity graphs: graph build, graph show."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.messages import choices, plural
from tui.cli.command import command, option
from tui.cli.costs import show_dry_run, spent_words
from tui.cli.options import (
    BUDGET,
    DRY_RUN,
    budget_of,
    detach_option,
    filled,
    model_option,
    workspace_of,
)
from tui.cli.output import print_json, print_line, print_table, say, show_table, tell
from tui.language import tr

if TYPE_CHECKING:
    from engine.graph.entity_graph import EntityGraph
    from store.corpora.corpora import Corpus
    from store.workspace import Workspace

_SHOWN = 30
_EXCERPT = 60


@command(
    "build",
    "find the entities of a corpus and link its chunks by them",
    option("CORPUS", "corpus whose documents are linked"),
    model_option("names by rule"),
    *BUDGET,
    detach_option(),
    DRY_RUN,
    example="news --model writer --max-cost 2",
)
def build(arguments: argparse.Namespace) -> int:
    from engine.graph.graph_job import BuildGraph
    from engine.jobs.operation import stored_operation
    from engine.jobs.start import start
    from store.corpora import corpora, graphs
    from store.jobs import jobs
    from tui.cli.follow import follow, show_queued

    operation = filled(BuildGraph, arguments, budget=budget_of(arguments))
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            by_rule = tr("Names by rule: no model is asked.")
            show_dry_run(arguments, workspace, operation, by_rule)
            return 0
        job = start(workspace, operation)
        if arguments.detach:
            return show_queued(arguments, job.id)
        code = follow(workspace, [job.id])
        done = stored_operation(jobs.get(workspace.db, job.id))
        assert isinstance(done, BuildGraph)
        graph = graphs.get(workspace.db, done.graph or 0)
        if graph.is_linked:
            _show_graph(arguments, workspace, corpora.get(workspace.db, arguments.corpus))
        tokens, cost = graphs.spent(workspace.db, graph.id)
        if tokens:
            say(f"{spent_words(job.params, tokens, cost)}.")
        return code


@command(
    "show",
    "list entities, or one with its passages and items",
    option("CORPUS", "corpus that has a graph"),
    option("[ENTITY]", "entity whose names, passages and items are shown", dest="entity"),
    example="news",
)
def show(arguments: argparse.Namespace) -> int:
    from engine.graph.entity_graph import current_graph
    from store.corpora import corpora

    with workspace_of(arguments) as workspace:
        corpus = corpora.get(workspace.db, arguments.corpus)
        if arguments.entity:
            _show_entity(arguments, workspace, corpus, current_graph(workspace.db, corpus))
        else:
            _show_graph(arguments, workspace, corpus)
    return 0


def _show_graph(arguments: argparse.Namespace, workspace: Workspace, corpus: Corpus) -> None:
    from engine.graph.entity_graph import current_graph
    from store.corpora import graphs

    graph = current_graph(workspace.db, corpus)
    entities = list(graph.entities.values())
    shared = sum(one.documents > 1 for one in entities)
    if arguments.json:
        states = graphs.state_counts(workspace.db, graph.graph.id)
        print_json({"graph": graph.graph, "chunks": states, "entities": entities})
        return
    rows = [
        (one.name, f"{one.documents:,}", f"{one.chunks:,}", ", ".join(one.aliases[1:4]))
        for one in entities[:_SHOWN]
    ]
    print_table(("entity", "documents", "chunks", "other names"), rows)
    if len(entities) > _SHOWN:
        tell("{number:,} more (all of them with --json)", number=len(entities) - _SHOWN)
    print_line(
        "{name} by {method}: {entities}, {shared:,} of them in several documents",
        name=corpus.name,
        method=graph.graph.method,
        entities=plural(len(entities), "entity", "entities"),
        shared=shared,
    )


def _show_entity(
    arguments: argparse.Namespace, workspace: Workspace, corpus: Corpus, graph: EntityGraph
) -> None:
    from engine.corpus.chunk_texts import chunk_documents
    from engine.graph.items_of_entity import naming_items
    from store.errors import NotFound

    entity = graph.find(arguments.entity)
    if entity is None:
        names = [alias for one in graph.entities.values() for alias in one.aliases]
        raise NotFound(
            f"The graph of {corpus.name!r} has no entity {arguments.entity!r}.",
            choices(arguments.entity, names, "The most frequent are"),
        )
    chunks = graph.chunks.get(entity.id, [])
    texts = list(chunk_documents(workspace.db, corpus, chunks))
    items = naming_items(workspace.db, corpus, entity.aliases)
    if arguments.json:
        print_json({"entity": entity, "passages": chunks, "items": items})
        return
    print(f"{entity.name}: {', '.join(entity.aliases)}")
    rows = [
        (chunk.document_id, f"{chunk.start}-{chunk.end}", _around(text.text, entity.aliases))
        for chunk, text in zip(chunks, texts, strict=True)
    ]
    print_table(("document", "characters", "passage"), rows[:_SHOWN])
    if len(rows) > _SHOWN:
        tell("{number:,} more (all of them with --json)", number=len(rows) - _SHOWN)
    print()
    show_table(
        arguments,
        None,
        ("dataset", "item", "question"),
        [(one.dataset, one.item_key, one.question) for one in items],
        empty=tr("No item names it."),
    )


def _around(text: str, aliases: tuple[str, ...]) -> str:
    """The place of a text where an entity is named, in a line."""
    plain = text.casefold()
    at = next((place for alias in aliases if (place := plain.find(alias.casefold())) >= 0), 0)
    start = max(0, at - _EXCERPT // 2)
    return " ".join(text[start : start + 2 * _EXCERPT].split())


COMMANDS = (build, show)
