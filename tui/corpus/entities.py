"""The entities of a corpus: from one to its names, its passages and the items that name it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.corpus.chunk_texts import chunk_documents
from engine.graph.entity_graph import EntityGraph, current_graph
from engine.graph.items_of_entity import NamingItem, naming_items
from store.corpora.browsing import document_rows
from store.corpora.corpora import Corpus
from store.corpora.graphs import StoredEntity
from store.messages import plural
from store.workspace import Workspace
from tui.corpus.document import DocumentScreen
from tui.corpus.keys import ACTIONS
from tui.language import tr
from tui.screens.list_and_details import ListAndDetails
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.sheet import Block, lay_blocks

_COLUMNS = (
    Column("entity", minimum=20),
    Column("documents", 9, "right"),
    Column("chunks", 7, "right"),
    Column("other names", minimum=24, drop=1),
)
_PASSAGES = 12
_EXCERPT = 200


class _Found(NamedTuple):
    """What stands behind an entity."""

    passages: Sequence[tuple[str, str]]
    """The title of a document, and what stands in it around the name."""
    items: Sequence[NamingItem]


class EntitiesScreen(ListAndDetails, actions=ACTIONS):
    PLACE = "entities"

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(details=tr("Entity"))
        self.corpus = corpus
        self.graph: EntityGraph | None = None

    def on_mount(self) -> None:
        super().on_mount()
        self.host.in_thread(
            "reading the entities",
            lambda workspace: current_graph(workspace.db, self.corpus),
            self._show,
        )

    def context(self) -> tuple[str, ...]:
        return (self.corpus.name,)

    def command(self) -> Sequence[str]:
        entity = self.current
        return ("graph", "show", self.corpus.name, *(() if entity is None else (entity.name,)))

    def _show(self, graph: EntityGraph) -> None:
        self.graph = graph
        entities = list(graph.entities.values())
        shared = sum(one.documents > 1 for one in entities)
        self.caption.show(
            [
                [
                    (
                        tr(
                            "Entities of {name} by {method}",
                            name=self.corpus.name,
                            method=graph.graph.method,
                        ),
                        "strong",
                    )
                ],
                [
                    (
                        tr(
                            "{entities}, {shared:,} of them in several documents",
                            entities=plural(len(entities), "entity", "entities"),
                            shared=shared,
                        ),
                        "",
                    )
                ],
            ]
        )
        self.list.set_source(ListSource([_row(one) for one in entities]), _COLUMNS)

    @property
    def current(self) -> StoredEntity | None:
        row = self.list.current
        if row is None or self.graph is None:
            return None
        return self.graph.entities.get(int(row.key))

    def show_details(self) -> None:
        entity, graph = self.current, self.graph
        if entity is None or graph is None:
            return
        self.host.in_thread(
            tr("reading {name}", name=entity.name),
            lambda workspace: _found(workspace, self.corpus, graph, entity),
            lambda found: self._show_entity(entity, found),
            group="entity",
        )

    def enter_details(self) -> None:
        """Opens the documents that hold the name of the entity, from the first on."""
        entity = self.current
        if entity is None:
            return
        self.host.in_thread(
            tr("finding {name}", name=entity.name),
            lambda workspace: document_rows(workspace.db, self.corpus, entity.name),
            lambda rows: self._open_documents(entity, rows),
            group="entity documents",
        )

    def _open_documents(self, entity: StoredEntity, rows: Sequence[int]) -> None:
        if rows:
            self.app.push_screen(DocumentScreen(self.corpus, rows, 0, entity.name))
        else:
            super().enter_details()

    def _show_entity(self, entity: StoredEntity, found: _Found) -> None:
        if entity != self.current:
            return
        blocks = [Block("names", ", ".join(entity.aliases), "strong")]
        for at, (title, text) in enumerate(found.passages):
            blocks.append(Block("" if at else "passages", title or tr("no title"), "muted"))
            blocks.append(Block("", text))
        if entity.chunks > len(found.passages):
            blocks.append(
                Block(
                    "", tr("{chunks:,} more", chunks=entity.chunks - len(found.passages)), "muted"
                )
            )
        for at, item in enumerate(found.items):
            text = f"{item.dataset} {item.item_key}: {item.question}"
            blocks.append(Block("" if at else "items", text))
        if not found.items:
            blocks.append(Block("items", tr("none names it"), "muted"))
        self.details.show(lambda width: lay_blocks(blocks, width), title=entity.name)


def _found(
    workspace: Workspace, corpus: Corpus, graph: EntityGraph, entity: StoredEntity
) -> _Found:
    chunks = graph.chunks.get(entity.id, [])[:_PASSAGES]
    texts = chunk_documents(workspace.db, corpus, chunks)
    items = naming_items(workspace.db, corpus, entity.aliases)
    return _Found([(text.title, _around(text.text, entity.aliases)) for text in texts], items)


def _around(text: str, aliases: Sequence[str]) -> str:
    """The part of a text around the first place where an entity is named, on one line."""
    plain = text.casefold()
    at = next((place for alias in aliases if (place := plain.find(alias.casefold())) >= 0), 0)
    start = max(0, at - _EXCERPT // 2)
    return " ".join(text[start : start + _EXCERPT].split())


def _row(entity: StoredEntity) -> Row:
    others = ", ".join(name for name in entity.aliases if name != entity.name)
    return Row(
        entity.id,
        (
            Cell(entity.name, "strong"),
            f"{entity.documents:,}",
            f"{entity.chunks:,}",
            Cell(others, "muted"),
        ),
    )
