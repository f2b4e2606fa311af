"""OmniEval's files: those among the paths given, and the topics and tasks that they name."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from engine.corpus.links import refuse_links
from engine.corpus.readers import ReadDocument
from engine.taxonomy.definitions import load_taxonomy
from engine.taxonomy.stored import find_taxonomy, taxonomy_names
from engine.text.normalisation import normalise
from store.corpora import taxonomies
from store.datasets import datasets
from store.errors import InputError, UsageError
from store.formats import omnieval
from store.formats.omnieval import Node, PredictionRow, ResultBlock
from store.messages import listed
from store.records import UNASSIGNED, Source, Task, Taxonomy, Topic

STANDARD = "omnieval"
"""The taxonomy of the authors, which need not be named."""

_PARENTHESIS = re.compile(r"[（(].*?[)）]")


class PredictionFile(Struct, frozen=True):
    path: Path
    rows: tuple[PredictionRow, ...]

    def groups(self) -> list[list[PredictionRow]]:
        """The rows by item: those that share an id are the turns of one conversation."""
        by_id: dict[str, list[PredictionRow]] = {}
        for row in self.rows:
            by_id.setdefault(row.id, []).append(row)
        return list(by_id.values())

    def place(self, row: PredictionRow) -> str:
        return f"{self.path}, line {row.line}"


class ResultFile(Struct, frozen=True):
    path: Path
    blocks: tuple[ResultBlock, ...]


class OmniFiles(Struct, frozen=True):
    predictions: tuple[PredictionFile, ...]
    results: tuple[ResultFile, ...]
    corpus: Path | None

    @property
    def closed_book(self) -> bool:
        """Their closed-book files hold no list of retrieved documents at all."""
        return all(row.retrieved is None for file in self.predictions for row in file.rows)


def gather(paths: Sequence[Path], *, follow_links: bool = False) -> OmniFiles:
    """Reads the files given, and in a folder those whose names say what they are.

    Raises InputError for a file of another name, no predictions at all, two prediction files of
    one name, which results could not be told apart by, and a link that leads out of a folder,
    unless `follow_links`.
    """
    predictions: dict[str, Path] = {}
    results: dict[Path, None] = {}
    corpus = None
    expanded = list(_expanded(paths))
    refuse_links(paths, expanded, follow_links=follow_links)
    for path in expanded:
        if path.name.endswith(omnieval.PREDICTIONS):
            earlier = predictions.setdefault(path.name, path)
            if earlier != path:
                raise InputError(
                    f"{path} and {earlier} have one name.", "Import each system as its own run."
                )
        elif path.name.startswith(omnieval.RESULTS):
            results[path] = None
        elif path.name == omnieval.CORPUS:
            corpus = path
        else:
            raise InputError(
                f"{path}: the name is not one of OmniEval's.",
                f"Expected `GROUP - TOPIC - TASK{omnieval.PREDICTIONS}`,"
                f" `{omnieval.RESULTS}*.jsonl` or `{omnieval.CORPUS}`.",
            )
    files = [
        PredictionFile(path, tuple(omnieval.read_predictions(path)))
        for path in predictions.values()
    ]
    if not any(file.rows for file in files):
        raise InputError(
            "The given files hold no prediction.",
            f"Name files that end in {omnieval.PREDICTIONS}, or their folder.",
        )
    return OmniFiles(
        tuple(files),
        tuple(ResultFile(path, tuple(omnieval.read_results(path))) for path in results),
        corpus,
    )


def _expanded(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.glob("*" + omnieval.PREDICTIONS))
            yield from sorted(path.glob(omnieval.RESULTS + "*.jsonl"))
            yield from sorted(path.glob(omnieval.CORPUS))
        else:
            yield path


def node_document(file: Path, node: Node) -> Iterator[ReadDocument]:
    """The document of a node, none where it has no text."""
    text = normalise(node.contents)
    if text:
        yield ReadDocument(text, Source(str(file), node.title or "", node.name, node.name))


def taxonomy_for(
    db: sqlite3.Connection, dataset: str, topics: Iterable[str]
) -> tuple[Taxonomy, bool]:
    """The taxonomy of the dataset; for a new one `omnieval` where it holds all topics, else the
    only taxonomy that does. The second says whether it was one other than these that was found.

    Where none holds all of them it is `omnieval`, and what it lacks is unassigned. Raises
    UsageError naming them where several do. `topics` are names as the items have them.
    """
    held = datasets.find(db, dataset)
    if held is not None:
        return taxonomies.get(db, held.taxonomy_id), False
    standard = load_taxonomy(STANDARD)
    # items without a topic say nothing about whose they are
    named = sorted(set(topics) - {"", UNASSIGNED})
    if _holds(standard, named):
        return standard, False
    others = (find_taxonomy(db, name) for name in taxonomy_names(db) if name != STANDARD)
    fitting = [taxonomy for taxonomy in others if _holds(taxonomy, named)]
    if len(fitting) > 1:
        names = listed([taxonomy.key for taxonomy in fitting])
        raise UsageError(
            f"Several taxonomies hold the topics of these items: {names}.",
            "Choose one.",
            "--taxonomy NAME",
        )
    return (fitting[0], True) if fitting else (standard, False)


def _holds(taxonomy: Taxonomy, topics: Iterable[str]) -> bool:
    return all(named_cell(topic, "", taxonomy)[0] != UNASSIGNED for topic in topics)


def cell(file: Path, taxonomy: Taxonomy) -> tuple[str, str]:
    """The topic and task key in a file's name; `unassigned` for what the taxonomy lacks."""
    named = omnieval.topic_and_task(file)
    return (UNASSIGNED, UNASSIGNED) if named is None else named_cell(*named, taxonomy)


def named_cell(topic: str, task: str, taxonomy: Taxonomy) -> tuple[str, str]:
    """The keys of a topic, alone or at the end of a path of names, and of a task by any of their
    names; `unassigned` for one that the taxonomy does not have."""
    topics = {_folded(name): member.key for member in taxonomy.topics for name in _names(member)}
    tasks = {_folded(name): member.key for member in taxonomy.tasks for name in _names(member)}
    last = topic.rpartition(" - ")[2]
    return topics.get(_folded(last), UNASSIGNED), tasks.get(_folded(task), UNASSIGNED)


def _names(named: Topic | Task) -> tuple[str, ...]:
    return named.key, named.zh, named.en


def _folded(name: str) -> str:
    """Without what stands in parentheses: their 反洗钱（AML） is our 反洗钱."""
    return _PARENTHESIS.sub("", name).strip().casefold()
