"""Every source of imports: what a person says of it, and the import that it leads to.

The imports themselves are imported on use: commands and the app ask for them here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from engine.importers import outcome
from engine.importers.outcome import Outcome
from store.errors import InputError, UsageError
from store.records import ChunkingSettings, Taxonomy
from store.workspace import Workspace

if TYPE_CHECKING:
    from engine.corpus.ingest import IngestReport

    Progress = Callable[[IngestReport], None]


def no_progress(stored: IngestReport) -> None:
    """The progress callback for a caller who does not watch."""


class Import(Struct, frozen=True):
    """An import that a person asks for; a source reads of it what it needs."""

    source: str
    """A key of `SOURCES`."""
    files: tuple[str, ...]
    author: str
    corpus: str = ""
    dataset: str = ""
    taxonomy: str = ""
    run: str = ""
    system: str = ""
    judge: str = ""
    name: str = ""
    queries: str = ""
    qrels: str = ""
    answers: str = ""
    questions: str = ""
    tasks: tuple[str, ...] = ()
    """`TYPE=TASK` each."""
    expansions: tuple[str, ...] = ()
    """`NAME=FILE` each."""
    follow_links: bool = False
    """Whether links in folders that lead out of what is named are read, too."""
    chunking: ChunkingSettings | None = None
    """Of a new corpus."""
    depth: int | None = None
    """The largest k of `ndcg@k` and its like."""
    closed_book: bool = False
    """Whether the system retrieved nothing."""
    variant: Literal["standard", "omnieval"] = "standard"
    """How OmniEval's items are cleaned."""
    accept: bool = False
    """Whether items of OmniEval that were not inspected are accepted, too."""

    def answer(self, workspace: Workspace) -> Outcome:
        """Imports it, all or nothing, and has a worker score it. Raises what the import raises."""
        outcome = self.told(self.bring_in(workspace))
        if outcome.jobs:
            from engine.jobs.start import ensure_worker

            ensure_worker(workspace)
        return outcome

    def bring_in(self, workspace: Workspace, progress: Progress = no_progress) -> Any:
        """Imports it, all or nothing; returns the report of the import. Raises what that raises."""
        return SOURCES[self.source].bring_in(workspace, self, progress)

    def told(self, report: Any) -> Outcome:
        """What the import came to, in sentences."""
        return SOURCES[self.source].told(report)

    @property
    def paths(self) -> list[Path]:
        return [Path(file) for file in self.files]

    @property
    def path(self) -> Path:
        """The one file or folder; raises InputError where there are several."""
        if len(self.files) != 1:
            raise InputError("This import takes one file or folder.", "Name one.")
        return Path(self.files[0])

    def target(self, workspace: Workspace) -> dict[str, Any]:
        """What every import of items is told."""
        return {
            "corpus_name": self.corpus,
            "dataset_name": self.dataset,
            "taxonomy": self.chosen_taxonomy(workspace),
            "author": self.author,
        }

    def linked_target(self, workspace: Workspace) -> dict[str, Any]:
        """The same, with whether links are followed."""
        return {**self.target(workspace), "follow_links": self.follow_links}

    def chosen_taxonomy(self, workspace: Workspace) -> Taxonomy:
        """The taxonomy that comes with ragdesk, or that of the workspace; raises NotFound."""
        from engine.taxonomy.stored import find_taxonomy

        return find_taxonomy(workspace.db, self.taxonomy or SOURCES[self.source].taxonomy)


class Source(NamedTuple):
    """A kind of files that can be imported."""

    about: str
    """What it is, in a few words."""
    files: str
    """What to name: the files as they were published, a folder."""
    bring_in: Callable[[Workspace, Import, Progress], Any]
    told: Callable[[Any], Outcome]
    needs: tuple[str, ...] = ("corpus", "dataset")
    """The fields of `Import`, beside the files, that have to be filled in."""
    takes: tuple[str, ...] = ("taxonomy",)
    """Those that may be."""
    taxonomy: str = "omnieval"
    """Of a new dataset, where none is named."""


def _beir(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.beir import import_beir

    expansions = _pairs(asked.expansions, "NAME=FILE")
    return import_beir(
        workspace,
        asked.path,
        **asked.linked_target(workspace),
        **_judged(asked),
        qrels=_file(asked.qrels),
        expansions={name: Path(file) for name, file in expansions.items()},
        chunking=asked.chunking,
        progress=progress,
    )


def _qrels(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.beir import import_qrels

    return import_qrels(
        workspace,
        asked.path if asked.files else None,
        queries=Path(asked.queries),
        **asked.target(workspace),
        **_judged(asked),
    )


def _judged(asked: Import) -> dict[str, Any]:
    return {"answers": _file(asked.answers), "task_map": _pairs(asked.tasks, "TYPE=TASK")}


def _items(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from store.history.archive import is_archive

    if is_archive(asked.paths[0]):
        from engine.importers.archive import import_archive

        return import_archive(
            workspace,
            asked.path,
            corpus_name=asked.corpus,
            dataset_name=asked.dataset,
            follow_links=asked.follow_links,
        )
    from engine.importers.items import import_items

    return import_items(workspace, asked.paths, **asked.target(workspace))


def _items_told(report: Any) -> Outcome:
    from store.datasets.datasets import Release

    is_release = isinstance(report, Release)
    return outcome.of_release(report) if is_release else outcome.of_archive(report)


def _parquet(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.parquet import import_parquet

    return import_parquet(workspace, asked.path, **asked.linked_target(workspace))


def _multihop_rag(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.multihop_rag import import_multihop_rag

    return import_multihop_rag(workspace, asked.paths, **asked.linked_target(workspace))


def _question_set(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.question_sets import import_question_set

    return import_question_set(workspace, asked.source, asked.paths, **asked.target(workspace))


def _omnieval(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.omnieval_items import import_omnieval_items

    target = asked.linked_target(workspace)
    if not asked.taxonomy:
        target["taxonomy"] = None  # that of the workspace which holds the items' topics
    return import_omnieval_items(
        workspace, asked.paths, **target, variant=asked.variant, accept=asked.accept
    )


def _omnieval_run(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.omnieval_predictions import JUDGE, import_omnieval

    return import_omnieval(
        workspace,
        asked.paths,
        **_run(asked),
        **_made(workspace, asked, JUDGE),
        top_k=asked.depth,
        progress=progress,
    )


def _crud(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.crud import JUDGE, import_crud

    return import_crud(
        workspace,
        asked.paths,
        questions=_file(asked.questions),
        **_run(asked),
        **_made(workspace, asked, JUDGE),
    )


def _predictions(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.predictions import import_predictions

    return import_predictions(
        workspace, asked.path, **_run(asked), closed_book=asked.closed_book, top_k=asked.depth
    )


def _trec_run(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.trec import import_trec_run

    return import_trec_run(workspace, asked.path, **_run(asked), top_k=asked.depth)


def _ragchecker(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.ragchecker import import_ragchecker

    return import_ragchecker(
        workspace,
        asked.path,
        dataset=asked.dataset,
        corpus_name=asked.corpus or asked.dataset,
        taxonomy=asked.chosen_taxonomy(workspace),
        author=asked.author,
    )


def _scores(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.scores import import_scores

    return import_scores(workspace, asked.path, asked.run, asked.judge)


def _question_sets(workspace: Workspace, asked: Import, progress: Progress) -> Any:
    from engine.importers.ragquesteval import import_question_sets

    name = asked.name or asked.dataset.partition("@")[0]
    return import_question_sets(workspace, asked.paths, dataset=asked.dataset, name=name)


def _run(asked: Import) -> dict[str, Any]:
    return {
        "run_name": asked.run,
        "dataset": asked.dataset,
        "system_name": asked.system or None,
    }


def _made(workspace: Workspace, asked: Import, judge: str) -> dict[str, Any]:
    return {
        "corpus_name": asked.corpus or None,
        "taxonomy": asked.chosen_taxonomy(workspace),
        "judge": asked.judge or judge,
        "follow_links": asked.follow_links,
        "author": asked.author,
    }


def _file(text: str) -> Path | None:
    return Path(text) if text else None


def _pairs(texts: Iterable[str], form: str) -> Mapping[str, str]:
    pairs = {}
    for text in texts:
        name, mark, value = text.partition("=")
        if not (name and mark and value.strip()):
            raise UsageError(f"{text!r} is not of the form {form}.")
        pairs[name] = value
    return pairs


_RUN = ("run", "dataset")
_MADE = ("system", "corpus", "taxonomy", "judge")

SOURCES: dict[str, Source] = {
    "items": Source(
        "gold items, or a dataset that was exported with its history",
        "files of items, or the exported folder",
        _items,
        _items_told,
    ),
    "beir": Source(
        "BEIR: corpus.jsonl, queries.jsonl and judgements",
        "the folder",
        _beir,
        outcome.of_judged,
        takes=("taxonomy", "qrels", "answers", "tasks", "expansions"),
    ),
    "qrels": Source(
        "judgements about the documents of a corpus",
        "columns query, document, grade; or those of trec_eval",
        _qrels,
        outcome.of_judged,
        needs=("queries", "corpus", "dataset"),
        takes=("taxonomy", "answers", "tasks"),
    ),
    "parquet": Source(
        "tables of a dataset that was exported",
        "the folder",
        _parquet,
        outcome.of_added,
    ),
    "multihop-rag": Source(
        "MultiHop-RAG's articles and queries",
        "corpus.json and MultiHopRAG.json, or their folder",
        _multihop_rag,
        outcome.of_multihop,
    ),
    "convfinqa": Source(
        "ConvFinQA's conversations with their pages",
        "files as published",
        _question_set,
        outcome.of_question_set,
    ),
    "pacific": Source(
        "PACIFIC's conversations with tables and paragraphs",
        "files as published",
        _question_set,
        outcome.of_question_set,
    ),
    "uhgeval": Source(
        "UHGEval's texts to be corrected, with the articles",
        "files as published",
        _question_set,
        outcome.of_question_set,
        taxonomy="crud",
    ),
    "omnieval": Source(
        "OmniEval's items with their documents",
        "files of the authors, or their folder",
        _omnieval,
        outcome.of_omnieval,
    ),
    "omnieval-run": Source(
        "OmniEval's predictions and results",
        "files of the authors, or their folder",
        _omnieval_run,
        outcome.of_run,
        needs=_RUN,
        takes=_MADE,
    ),
    "predictions": Source(
        "the answers (predictions) of your own RAG system",
        'lines {"id", "answer", ...}',
        _predictions,
        outcome.of_run,
        needs=_RUN,
        takes=("system",),
    ),
    "trec-run": Source(
        "what another retriever found",
        "lines of query, Q0, document, rank, score, tag",
        _trec_run,
        outcome.of_run,
        needs=_RUN,
        takes=("system",),
    ),
    "crud": Source(
        "CRUD-RAG's output files",
        "output files, or their folder",
        _crud,
        outcome.of_run,
        needs=_RUN,
        takes=(*_MADE, "questions"),
        taxonomy="crud",
    ),
    "ragchecker": Source(
        "RAGChecker's compared answers with labels of two annotators",
        "the file of the authors",
        _ragchecker,
        outcome.of_pairs,
        needs=("dataset",),
        takes=("corpus", "taxonomy"),
    ),
    "scores": Source(
        "the scores of another judge for a run",
        ".jsonl or .csv",
        _scores,
        outcome.of_scores,
        needs=("run", "judge"),
        takes=(),
    ),
    "question-sets": Source(
        "the questions that RAGQuestEval asks answers",
        "TASK_quest_gt_save.json",
        _question_sets,
        outcome.of_sets,
        needs=("dataset",),
        takes=("name",),
    ),
}
"""Every source by its key."""
