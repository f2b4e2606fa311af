"""Importing OmniEval's prediction files as a run, with the scores of its result files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from engine.corpus.finding import CorpusDocuments
from engine.corpus.ingest import IngestReport, open_corpus, put_documents
from engine.corpus.paths import path_text
from engine.corpus.readers import ReadDocument
from engine.importers.foreign_run import (
    AnswerSlots,
    ForeignAnswer,
    ImportedRun,
    documents_of,
    report,
    store_run,
)
from engine.importers.foreign_scores import NO_VALUE, Scores, attach_scores, checked, missing
from engine.importers.omnieval_files import (
    OmniFiles,
    PredictionFile,
    ResultFile,
    cell,
    gather,
    node_document,
)
from engine.importers.sink import ItemSink, NewItem, import_onto
from engine.metrics.spec import MetricSpec, resolve
from engine.text.normalisation import detect_lang, normalise
from store.corpora import taxonomies
from store.datasets import datasets
from store.datasets.datasets import Release
from store.errors import InputError, UsageError
from store.formats.omnieval import NOT_SCORED, Node, PredictionRow, read_corpus
from store.records import (
    UNASSIGNED,
    Evidence,
    Hit,
    ItemContent,
    MetricScore,
    ReleasedItem,
    Taxonomy,
    Turn,
)
from store.runs import predictions, runs
from store.runs.predictions import PredictionKey, StoredPrediction
from store.workspace import Workspace

JUDGE = "omnieval"
"""The name under which the scores of result files stand beside ours."""

_MINUS_ONE = (
    "their file says -1, which stands both for a metric that does not apply and for a reply that"
    " was not understood"
)


def import_omnieval(
    workspace: Workspace,
    paths: Sequence[Path],
    *,
    run_name: str,
    dataset: str,
    corpus_name: str | None = None,
    taxonomy: Taxonomy,
    judge: str = JUDGE,
    system_name: str | None = None,
    top_k: int | None = None,
    follow_links: bool = False,
    author: str,
    progress: Callable[[IngestReport], None] = lambda stored: None,
) -> ImportedRun:
    """A new run from the prediction files among `paths`; see `omnieval_files.gather`.

    Without `corpus_name` the rows are matched to the items of release `dataset` by question, and
    by topic, task and golden answers where questions are equal; with it, corpus and dataset are
    made from the files (`omnieval_dataset`). Raises InputError, naming file and line, for a
    question that the release lacks; then no run is made.

    Result files may also come later: where run `run_name` holds these very answers, only their
    scores are added to it.
    """
    files = gather(paths, follow_links=follow_links)
    check_results(files)
    if any(run.name == run_name for run in runs.listing(workspace.db)):
        return _add_results(workspace, files, run_name, dataset, corpus_name, judge)
    runs.check_name(workspace.db, run_name)
    made: list[str] = []
    label = dataset
    if corpus_name is not None:
        built = build_dataset(
            ItemSink(workspace, dataset, taxonomy, author), files, corpus_name, progress
        )
        label = built.release.label
        made += [
            f"corpus {corpus_name}: {built.documents.seen:,} documents,"
            f" {built.stand_ins:,} of them known by their golden passages only",
            f"dataset {label}: {built.release.items:,} items",
            *built.misfits,
        ]
    release = datasets.find_release(workspace.db, label)
    reader = _Reader(workspace, release, files)
    keys = reader.place()
    system = reader.slots.system(
        system_name or run_name, closed_book=files.closed_book, top_k=top_k
    )
    first = path_text(files.predictions[0].path.name)
    with workspace.write(durable=True) as db:
        run, job = store_run(db, reader.slots, system, run_name, imported_from=first)
        scores, notes = omnieval_scores(files.results, keys, predictions.by_key(db, run.id))
        count = attach_scores(db, run, judge, scores)
        return report(
            db,
            run,
            job,
            release,
            unknown_documents=reader.documents.unknown,
            built=[*made, *notes],
            scores=count,
        )


def _add_results(
    workspace: Workspace,
    files: OmniFiles,
    run_name: str,
    dataset: str,
    corpus_name: str | None,
    judge: str,
) -> ImportedRun:
    run = runs.get(workspace.db, run_name)
    if corpus_name is not None or not files.results:
        raise UsageError(
            f"There is a run {run_name!r} already.", "Choose another name for the run."
        )
    release = datasets.find_release(workspace.db, dataset)
    if release.id != run.release_id:
        answered = datasets.release_by_id(workspace.db, run.release_id).label
        raise UsageError(f"Run {run_name!r} answered {answered}, not {release.label}.")
    reader = _Reader(workspace, release, files)
    keys = reader.place()
    stored = predictions.by_key(workspace.db, run.id)
    for key, answer in reader.slots.answers.items():
        if stored[key].answer != answer.answer:
            raise InputError(
                f"{answer.place}: run {run_name!r} has another answer to this question.",
                "Import these predictions as a run of their own.",
            )
    with workspace.write(durable=True) as db:
        scores, notes = omnieval_scores(files.results, keys, stored)
        count = attach_scores(db, run, judge, scores)
        return report(db, run, None, release, built=notes, scores=count)


class _Reader:
    """Puts each row to its item; a document is known by its id, else by its contents."""

    def __init__(self, workspace: Workspace, release: Release, files: OmniFiles) -> None:
        db = workspace.db
        self.slots = AnswerSlots(db, release)
        self.documents = documents_of(db, release)
        self._files = files
        self._release = release
        self._taxonomy = taxonomies.get(db, datasets.of_release(db, release.id).taxonomy_id)
        self._matcher = _Matcher(list(self.slots.items.values()))

    def place(self) -> dict[str, list[PredictionKey]]:
        """Places all answers; returns by file name the prediction of every row, in order."""
        lost: list[str] = []
        keys: dict[str, list[PredictionKey]] = {}
        for file in self._files.predictions:
            where = cell(file.path, self._taxonomy)
            of_row: dict[int, PredictionKey] = {}
            for rows in file.groups():
                item = self._matcher.take(rows, where)
                if item is None:
                    lost.append(f"{file.place(rows[0])}: {rows[0].question!r}")
                    continue
                for turn, row in enumerate(rows):
                    self.slots.put(item, turn, 0, self._answer(file, row))
                    of_row[row.line] = (item.revision_id, turn, 0)
            keys[file.path.name] = [of_row[row.line] for row in file.rows if row.line in of_row]
        if lost:
            raise InputError(
                f"{lost[0]} is not a question of {self._release.label}, or was answered before"
                f" ({len(lost)} such questions).",
                "Name the dataset that was answered, or make one of a corpus.",
                "--dataset NAME, --corpus NAME",
            )
        return keys

    def _answer(self, file: PredictionFile, row: PredictionRow) -> ForeignAnswer:
        hits = None if row.retrieved is None else tuple(map(self._hit, row.retrieved))
        error = row.error or ("the prediction is null" if row.answer is None else None)
        return ForeignAnswer(f"{file.path.name}, line {row.line}", row.answer, error, hits=hits)

    def _hit(self, node: Node) -> Hit:
        return self.documents.retrieved(node.name, node.contents)


class _Matcher:
    """Items by their first questions; each is given away once."""

    def __init__(self, items: Sequence[ReleasedItem]) -> None:
        self._by_questions: dict[tuple[str, ...], list[ReleasedItem]] = {}
        for item in items:
            questions = tuple(_folded(turn.question) for turn in item.content.turns)
            for end in range(1, len(questions) + 1):
                self._by_questions.setdefault(questions[:end], []).append(item)
        self._taken: set[int] = set()

    def take(self, rows: Sequence[PredictionRow], where: tuple[str, str]) -> ReleasedItem | None:
        """The free item that asks these questions; of several, the one that agrees most."""
        questions = tuple(_folded(row.question) for row in rows)
        free = [
            item
            for item in self._by_questions.get(questions, ())
            if item.item_id not in self._taken
        ]
        if not free:
            return None
        best = max(free, key=lambda item: _agreement(item, rows, where))
        self._taken.add(best.item_id)
        return best


def _agreement(
    item: ReleasedItem, rows: Sequence[PredictionRow], where: tuple[str, str]
) -> tuple[bool, bool, bool]:
    content = item.content
    return (
        len(content.turns) == len(rows),
        (content.topic, content.task) == where,
        tuple(turn.golden_answers for turn in content.turns)
        == tuple(row.golden_answers for row in rows),
    )


def _folded(question: str) -> str:
    return " ".join(normalise(question).split())


class BuiltDataset(Struct, frozen=True):
    release: Release
    documents: IngestReport
    stand_ins: int
    """Relevant documents of which only the golden passages are known; those are their text."""
    misfits: tuple[str, ...]
    """Items that have not the shape of their task, with the reason; they have none now."""


def build_dataset(
    sink: ItemSink,
    files: OmniFiles,
    corpus_name: str,
    progress: Callable[[IngestReport], None] = lambda report: None,
) -> BuiltDataset:
    """The documents of `corpus.jsonl`, or else of the retrieval results, and an item a question.

    Topic and task come from the files' names, evidence from `relevant_node`: one unit a node, the
    place of its passage where it holds exactly one of them word for word, else the whole document.
    Nodes with equal contents are one document here.
    """
    sink.check_new(import_onto(sink.dataset))
    corpus = open_corpus(sink.workspace, corpus_name)
    source = _Documents(files)
    stored = put_documents(sink.workspace, corpus, source.read(), progress)
    misfits: list[str] = []
    items = sink.fitted(_items(sink, files, CorpusDocuments(sink.workspace.db, corpus)), misfits)
    with sink.workspace.write(durable=True) as db:
        release = sink.create(db, corpus, items, "imported from OmniEval predictions")
    return BuiltDataset(release, stored, source.stand_ins, tuple(misfits))


def _items(sink: ItemSink, files: OmniFiles, documents: CorpusDocuments) -> Iterator[NewItem]:
    for file in files.predictions:
        topic, task = cell(file.path, sink.taxonomy)
        for rows in file.groups():
            yield NewItem(
                file.place(rows[0]),
                _item_key(file, rows[0], topic, task),
                _content(rows, topic, task, documents),
                f"imported from {path_text(file.path.name)}",
            )


def _item_key(file: PredictionFile, row: PredictionRow, topic: str, task: str) -> str:
    if UNASSIGNED in (topic, task):
        return f"{path_text(file.path.name).partition('.')[0]}/{row.id}"
    return f"{topic}/{task}/{row.id}"


def _content(
    rows: Sequence[PredictionRow], topic: str, task: str, documents: CorpusDocuments
) -> ItemContent:
    turns = tuple(
        Turn(row.question, row.golden_answers, tuple(_evidence(row, documents))) for row in rows
    )
    text = "\n".join([*(row.question for row in rows), *rows[0].golden_answers])
    return ItemContent(turns, topic, task, detect_lang(text))


class _Documents:
    def __init__(self, files: OmniFiles) -> None:
        self._files = files
        self.stand_ins = 0

    def read(self) -> Iterator[ReadDocument]:
        seen: set[str] = set()
        for document in self._from_corpus() if self._files.corpus else self._from_results():
            if document.source.external_id not in seen:
                seen.add(document.source.external_id)
                yield document
        for document in self._from_passages():
            if document.source.external_id not in seen:
                seen.add(document.source.external_id)
                self.stand_ins += 1
                yield document

    def _from_corpus(self) -> Iterator[ReadDocument]:
        assert self._files.corpus is not None
        for _, node in read_corpus(self._files.corpus):
            yield from node_document(self._files.corpus, node)

    def _from_results(self) -> Iterator[ReadDocument]:
        for file in self._files.predictions:
            for row in file.rows:
                for node in row.retrieved or ():
                    yield from node_document(file.path, node)

    def _from_passages(self) -> Iterator[ReadDocument]:
        for file in self._files.predictions:
            for row in file.rows:
                one_each = len(row.passages) == len(row.nodes)
                for position, name in enumerate(row.nodes):
                    texts = [row.passages[position]] if one_each else row.passages
                    yield from node_document(file.path, Node(name, contents="\n".join(texts)))


def _evidence(row: PredictionRow, documents: CorpusDocuments) -> Iterator[Evidence]:
    by_node = map(documents.by_external_id, row.nodes)
    passages = list(map(normalise, row.passages))
    for document in dict.fromkeys(name for name in by_node if name is not None):
        quotes = [documents.quote(document, passage) for passage in passages]
        held = [quote for quote in quotes if quote is not None]
        yield held[0] if len(held) == 1 else Evidence(document)


def omnieval_scores(
    files: Sequence[ResultFile],
    keys: Mapping[str, Sequence[PredictionKey]],
    predictions: Mapping[PredictionKey, StoredPrediction],
) -> tuple[Scores, tuple[str, ...]]:
    """The values of result files for the rows of prediction files, and what was left out.

    Judge values, which their files normalise to [0, 1], come back onto the scales as stored; -1
    is `missing`. Every prediction gets every metric that any file has. Raises InputError for a
    list whose length is not that of its prediction file, and for two files that disagree.
    """
    values, unknown = _by_metric(files, keys)
    scores: Scores = {}
    for metric, by_key in values.items():
        spec = _spec(metric)
        if spec is None:
            unknown[f"metric {metric}"] = None
            continue
        for key, row in predictions.items():
            scores.setdefault(row.id, []).append(_omnieval_score(spec, by_key.get(key)))
    return scores, tuple(f"left out of the result files: {name}" for name in unknown)


def check_results(files: OmniFiles) -> None:
    """Raises what `omnieval_scores` would, before anything is stored."""
    rows = {
        file.path.name: [(number, line, 0) for line in range(len(file.rows))]
        for number, file in enumerate(files.predictions)
    }
    _by_metric(files.results, rows)


def _by_metric(
    files: Sequence[ResultFile], keys: Mapping[str, Sequence[PredictionKey]]
) -> tuple[dict[str, dict[PredictionKey, float]], dict[str, None]]:
    values: dict[str, dict[PredictionKey, float]] = {}
    unknown: dict[str, None] = {}
    for file in files:
        for block in file.blocks:
            rows = keys.get(block.file_name)
            if rows is None:
                unknown[f"{block.file_name}, which is not among the predictions"] = None
                continue
            for metric, given in block.lists.items():
                place = f"{file.path}, line {block.line}: {metric}"
                if len(given) != len(rows):
                    raise InputError(
                        f"{place}: {len(given)} values for {len(rows)} predictions.",
                        "Give the predictions that were evaluated.",
                    )
                _merge(place, values.setdefault(metric, {}), zip(rows, given, strict=True))
    return values, unknown


def _merge(
    place: str, known: dict[PredictionKey, float], new: zip[tuple[PredictionKey, float]]
) -> None:
    for row, (key, value) in enumerate(new):
        if known.setdefault(key, value) != value:
            raise InputError(
                f"{place}: value {row + 1} is {value}, and {known[key]} in another file.",
                "Import the files of one judge only.",
            )


def _spec(metric: str) -> MetricSpec | None:
    for variant in ("omnieval", "standard"):
        try:
            spec = resolve(metric, variant)
        except UsageError:
            continue
        if variant == "omnieval" or spec.family == "judge":
            return spec
    return None


def _omnieval_score(spec: MetricSpec, value: float | None) -> MetricScore:
    if value is None or value == NOT_SCORED:
        return missing(spec, NO_VALUE if value is None else _MINUS_ONE)
    stored = value * (spec.maximum or 1.0) if spec.values else value
    return checked(spec, stored, f"their file says {value}")
