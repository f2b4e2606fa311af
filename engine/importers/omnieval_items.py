"""Importing OmniEval's items: the authors' generated, cleaned and final files as a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from engine.corpus.finding import CorpusDocuments
from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.links import refuse_links
from engine.corpus.paths import path_text
from engine.corpus.readers import ReadDocument, Refusal, list_files
from engine.generate.omnieval import FIELDS, Item, clean, clean_conversations
from engine.importers.omnieval_files import named_cell, node_document, taxonomy_for
from engine.importers.sink import ItemSink, NewItem, PutItems, misshapen
from engine.text.normalisation import detect_lang, normalise
from engine.text.quotes import locate
from store.errors import InputError
from store.formats import omnieval
from store.formats.omnieval import ItemTurn, Node, item_turn, read_corpus
from store.hashing import content_hash
from store.records import (
    UNASSIGNED,
    Evidence,
    Facet,
    ItemContent,
    ItemState,
    Taxonomy,
    Turn,
    join_turn_facet,
)
from store.workspace import Workspace

Variant = Literal["standard", "omnieval"]
Line = list[Item]
"""The turns of a line as they stand there; one of a single item."""

GOOD = (1, 2)
"""What their inspector gave to the items that they keep as good or corrected."""


class Dropped(Struct, frozen=True):
    place: str
    reason: str


class OmniItemsReport(Struct, frozen=True):
    documents: IngestReport
    items: PutItems
    stand_ins: int
    """Documents of which only golden passages are known; those are their text."""
    dropped: tuple[Dropped, ...]
    """Lines that hold no item, or none of the shape of its task."""
    duplicates: int
    """Lines that say the same as an earlier one."""
    mended: int
    """Passages that were put into their document's own words."""
    unlocated: int
    """Passages that no document of the item holds; it stands as a whole instead."""
    unassigned: int
    """Items whose topic or task the taxonomy does not have."""
    taxonomy: str
    """The key of the taxonomy that the items are sorted by."""
    is_chosen: bool
    """Whether it is one of the workspace that was found by the topics of the items."""


class _Item(Struct, frozen=True):
    file: Path
    place: str
    turns: tuple[ItemTurn, ...]


def import_omnieval_items(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    corpus_name: str,
    dataset_name: str,
    taxonomy: Taxonomy | None,
    variant: Variant = "standard",
    accept: bool = False,
    follow_links: bool = False,
    author: str,
) -> OmniItemsReport:
    """Items from files and folders of them, with the documents of a `corpus.jsonl` among them.

    Documents that the corpus holds already are found by their id; of one that is nowhere the
    golden passages make a stand-in. An item that their inspector marked 1 or 2 is accepted and
    released, any other is drafted, unless `accept`. Twice is once. Without `taxonomy` it is what
    `taxonomy_for` chooses. Raises InputError, naming file and line, for a line of another shape,
    and UsageError for a dataset of another corpus or taxonomy and where several taxonomies would
    do; then nothing is imported.
    """
    files, corpora_files = _gather(paths, follow_links=follow_links)
    items, dropped = _read(files, variant)
    if not items:
        raise InputError("The given files hold no item.", "Name OmniEval's item files.")
    is_chosen = False
    if taxonomy is None:
        topics = {item.turns[0].topic_name for item in items}
        taxonomy, is_chosen = taxonomy_for(workspace.db, dataset_name, topics)
    sink = ItemSink(workspace, dataset_name, taxonomy, author)
    sink.check_open(corpus_name)
    documents = [
        document
        for file in corpora_files
        for _, node in read_corpus(file)
        for document in node_document(file, node)
    ]
    corpus = open_corpus(workspace, corpus_name)
    report = put_documents(workspace, corpus, documents)
    stand_ins = _stand_ins(items, CorpusDocuments(workspace.db, corpus))
    added = put_documents(workspace, corpus, stand_ins)
    builder = _Builder(CorpusDocuments(workspace.db, corpus), taxonomy, accept=accept)
    distinct = builder.unique(items)
    new = []
    for item in distinct:
        if fault := misshapen(taxonomy, item.content):
            dropped.append(Dropped(item.place, fault))
        else:
            new.append(item)
    put = sink.add(corpus, new, "imported from OmniEval's items")
    return OmniItemsReport(
        report,
        put,
        added.added,
        tuple(dropped),
        len(items) - len(distinct),
        builder.mended,
        builder.unlocated,
        sum(UNASSIGNED in (item.content.topic, item.content.task) for item in new),
        taxonomy.key,
        is_chosen,
    )


def _gather(paths: Sequence[Path], *, follow_links: bool) -> tuple[list[Path], list[Path]]:
    """Item files, and files of documents."""
    files: dict[Path, None] = {}
    corpora_files: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            for file in list_files([path], follow_links=follow_links):
                if isinstance(file, Refusal):
                    raise InputError(f"{file.path}: {file.reason}.")
                if omnieval.may_hold_items(file):
                    files[file] = None
            corpora_files.update(dict.fromkeys(sorted(path.glob(omnieval.CORPUS))))
        elif path.name == omnieval.CORPUS:
            corpora_files[path] = None
        elif path.name.endswith(omnieval.PREDICTIONS) or path.name.startswith(omnieval.RESULTS):
            raise InputError(
                f"{path} holds predictions or their results.", "Name the run.", "--run NAME"
            )
        else:
            files[path] = None
    refuse_links(paths, corpora_files, follow_links=follow_links)
    return list(files), list(corpora_files)


def _read(files: Iterable[Path], variant: Variant) -> tuple[list[_Item], list[Dropped]]:
    items: list[_Item] = []
    dropped: list[Dropped] = []
    for file in files:
        for number, line in omnieval.read_items(file):
            place = f"{file}, line {number}"
            tidied = tidy(place, line.turns, is_dialogue=line.is_dialogue, variant=variant)
            if tidied.turns:
                items.append(_Item(file, place, tidied.turns))
            else:
                dropped.append(Dropped(place, tidied.dropped))
    return items, dropped


def _stand_ins(items: Sequence[_Item], known: CorpusDocuments) -> list[ReadDocument]:
    """A document for each node that the corpus lacks: all that is quoted of it."""
    quoted: dict[str, dict[str, Path]] = {}
    for item in items:
        for turn in item.turns:
            one_each = len(turn.passages) == len(turn.nodes)
            for at, node in enumerate(turn.nodes):
                if known.find([node]) is None:
                    texts = turn.passages[at : at + 1] if one_each else turn.passages
                    quoted.setdefault(node, {}).update(dict.fromkeys(texts, item.file))
    return [
        document
        for node, passages in quoted.items()
        for document in node_document(
            next(iter(passages.values())), Node(node, contents="\n".join(passages))
        )
    ]


class _Builder:
    """Makes items of their lines; counts quotes in other words and quotes that are nowhere."""

    def __init__(self, documents: CorpusDocuments, taxonomy: Taxonomy, *, accept: bool) -> None:
        self._documents = documents
        self._taxonomy = taxonomy
        self._accept = accept
        self.mended = 0
        self.unlocated = 0

    def unique(self, items: Sequence[_Item]) -> list[NewItem]:
        """The items in order, those that say the same once."""
        by_key: dict[str, NewItem] = {}
        for item in items:
            new = self._item(item)
            by_key.setdefault(new.key, new)
        return list(by_key.values())

    def _item(self, item: _Item) -> NewItem:
        first = item.turns[0]
        topic, task = named_cell(first.topic_name, first.task_name, self._taxonomy)
        turns = tuple(
            Turn(
                turn.question.strip(),
                tuple(form.strip() for form in turn.answers),
                self._evidence(turn),
            )
            for turn in item.turns
        )
        facets: dict[str, Facet] = {}
        if any(turn.thought for turn in item.turns):
            facets[omnieval.THOUGHT] = join_turn_facet([turn.thought for turn in item.turns])
        if first.evaluation is not None:
            facets[omnieval.EVALUATION] = int(first.evaluation)
        text = "\n".join([*(turn.question for turn in turns), *turns[0].golden_answers])
        content = ItemContent(turns, topic, task, detect_lang(text), facets)
        is_good = self._accept or first.evaluation in GOOD
        return NewItem(
            item.place,
            content_hash(content).removeprefix("b2:")[:16],
            content,
            f"imported from {path_text(item.file.name)}",
            ItemState.ACCEPTED if is_good else ItemState.DRAFTED,
        )

    def _evidence(self, turn: ItemTurn) -> tuple[Evidence, ...]:
        """Each passage where it stands in one of the documents; a document that holds none, whole.

        With as many passages as documents, the document of a passage's own place comes first.
        """
        by_node = (self._documents.find([node]) for node in turn.nodes)
        documents = list(dict.fromkeys(document for document in by_node if document is not None))
        one_each = len(turn.passages) == len(documents)
        units: list[Evidence] = []
        for at, passage in enumerate(turn.passages):
            own = documents[at : at + 1] if one_each else []
            unit = self._place(passage, [*own, *documents])
            if unit is None:
                self.unlocated += bool(documents)
            elif unit not in units:
                units.append(unit)
        held = {unit.document_id for unit in units}
        return (*units, *(Evidence(document) for document in documents if document not in held))

    def _place(self, passage: str, documents: Iterable[str]) -> Evidence | None:
        normal = normalise(passage)
        ordered = list(dict.fromkeys(documents))
        for document in ordered:
            quote = self._documents.quote(document, normal)
            if quote is not None:
                return quote
        for document in ordered:
            place = locate(normal, self._documents.text(document))
            if place is not None:
                self.mended += 1
                return place.evidence(document)
        return None


class TidyLine(Struct, frozen=True):
    """The turns of an item; none, and why, for a line that holds no item."""

    turns: tuple[ItemTurn, ...] = ()
    dropped: str = ""


def tidy(place: str, line: Line, *, is_dialogue: bool, variant: Variant) -> TidyLine:
    """One line as an item.

    `omnieval` does what the authors' cleaning does: one blank form of an answer drops an item, a
    dialogue is cut off before its first bad turn, and where their code crashes InputError is
    raised. `standard` leaves blank forms out and drops a dialogue with a bad turn as a whole; a
    list of questions in one object is the dialogue that it was meant to be.
    """
    if not line:
        return TidyLine(dropped="the dialogue is empty")
    if variant == "standard":
        return _standard(place, line)
    try:
        kept = _as_authors(line, is_dialogue=is_dialogue)
    except InputError as error:
        raise InputError(f"{place}: {error.message}", error.remedy) from error
    if not kept:
        return TidyLine(dropped="the authors' cleaning drops it")
    return TidyLine(tuple(item_turn(place, turn) for turn in kept))


def _as_authors(line: Line, *, is_dialogue: bool) -> list[dict[str, Any]]:
    if is_dialogue:
        return clean_conversations([line])[0]
    kept = clean(line[0])
    return [] if kept is None else [kept]


def _standard(place: str, line: Line) -> TidyLine:
    turns = [item_turn(place, turn) for value in line for turn in _split(value)]
    for check, reason in _FAULTS:
        for number, turn in enumerate(turns, 1):
            if check(turn):
                where = f"turn {number}: " if len(turns) > 1 else ""
                return TidyLine(dropped=f"{where}{reason}")
    return TidyLine(tuple(turns))


_FAULTS: tuple[tuple[Callable[[ItemTurn], bool], str], ...] = (
    (lambda turn: not turn.question.strip(), "the question is blank"),
    (lambda turn: not turn.answers, "there is no answer"),
)


def _split(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The turns of an object whose question is a list, as is each answer with its passages."""
    parts = [value.get(name) for name in FIELDS]
    if not all(isinstance(part, list) for part in parts):
        return [value]
    if not isinstance(value["question"], list) or len({len(part or ()) for part in parts}) != 1:
        return [value]
    columns = zip(*(part or () for part in parts), strict=True)
    return [{**value, **dict(zip(FIELDS, column, strict=True))} for column in columns]
