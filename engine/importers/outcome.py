"""What an import came to, in sentences: of every source, for commands and for the app."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from store.messages import plural

if TYPE_CHECKING:
    from engine.corpus.ingest import IngestReport
    from engine.importers.archive import ArchiveReport
    from engine.importers.beir import BeirReport
    from engine.importers.foreign_run import ImportedRun
    from engine.importers.multihop_rag import MultiHopReport
    from engine.importers.omnieval_items import OmniItemsReport
    from engine.importers.question_sets import SetReport
    from engine.importers.ragchecker import ImportedPairs
    from engine.importers.ragquesteval import ImportedSets
    from engine.importers.scores import ImportedScores
    from engine.importers.sink import PutItems
    from store.datasets.datasets import Release

_UNKNOWN = 3
"""The largest number of missing documents that are named."""


class Outcome(Struct, frozen=True):
    """What came in, and what was not as it should be, a sentence each."""

    lines: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    release: str = ""
    """`NAME@V`, where the import made one."""
    jobs: tuple[int, ...] = ()
    """Those that score what was imported."""


class Added(Protocol):
    """The report of an import that adds documents and items."""

    @property
    def documents(self) -> IngestReport: ...
    @property
    def items(self) -> PutItems: ...


def of_release(release: Release) -> Outcome:
    """The items that became a release."""
    return Outcome((released(release),), release=release.label)


def released(release: Release) -> str:
    """A sentence on a release with its size."""
    return f"released {release.label}: {plural(release.items, 'item')}"


def of_judged(report: BeirReport) -> Outcome:
    """The release that judged queries became, and what is missing in it."""
    unknown = report.unknown_documents
    warnings = []
    if report.without_gold:
        queries = plural(report.without_gold, "query", "queries")
        warnings.append(f"{queries} without a relevant document")
    if unknown:
        warnings.append(
            f"the judgements name {plural(len(unknown), 'document')} that"
            f" the corpus lacks ({', '.join(unknown[:_UNKNOWN])})"
        )
    made = of_release(report.release)
    return Outcome(made.lines, (*warnings, *_misfits(report.misfits)), made.release)


def of_added(report: Added, warnings: Iterable[str] = ()) -> Outcome:
    """How many documents and items were added, and the release that these became."""
    documents, items = report.documents, report.items
    lines = [
        f"documents: {documents.added:,} added, {documents.unchanged:,} unchanged",
        f"dataset {items.dataset}: {plural(items.added, 'item')} added{_known(items.known)}",
    ]
    release = items.release
    if release is not None:
        lines.append(released(release))
    return Outcome(tuple(lines), tuple(warnings), release.label if release else "")


def of_question_set(report: SetReport) -> Outcome:
    """The items of a published question set."""
    lost = plural(report.unlocated, "passage") + " not word for word in a document;"
    warnings = [f"{lost} the whole document stands for them"] if report.unlocated else []
    return of_added(report, (*warnings, *_misfits(report.misfits)))


def of_multihop(report: MultiHopReport) -> Outcome:
    """The articles and queries of MultiHop-RAG."""
    lost = plural(report.unlocated, "fact") + " not word for word in an article;"
    missing = plural(len(report.unknown_documents), "article") + " the corpus lacks"
    unanswered = plural(report.unanswered, "query", "queries") + " without an answer (null_query)"
    warnings = _counted(
        (report.duplicates, f"{report.duplicates:,} queries repeat an earlier one"),
        (report.unlocated, f"{lost} the whole article stands for them"),
        (len(report.unknown_documents), f"the queries name {missing}"),
    )
    made = of_added(report, (*warnings, *_misfits(report.misfits)))
    return Outcome((*made.lines, unanswered), made.warnings, made.release)


def of_omnieval(report: OmniItemsReport) -> Outcome:
    """The items of OmniEval's authors."""
    warnings = _counted(
        *(
            (count, f"{count:,} {text}")
            for count, text in (
                (report.duplicates, "lines repeat an earlier one"),
                (report.stand_ins, "documents are known by their golden passages only"),
                (report.mended, "passages were put into their document's own words"),
                (
                    report.unlocated,
                    "passages are in none of their documents; these stand as a whole",
                ),
                (report.unassigned, "items have a topic or task that the taxonomy lacks"),
            )
        )
    )
    dropped = [f"left out: {line.place}: {line.reason}" for line in report.dropped]
    made = of_added(report, (*warnings, *dropped))
    chosen = f"taxonomy {report.taxonomy}: it holds the topics of the items; none was named"
    return Outcome(
        (*made.lines, *((chosen,) if report.is_chosen else ())), made.warnings, made.release
    )


def of_archive(report: ArchiveReport) -> Outcome:
    """A dataset that came with all its history."""
    items = plural(report.items, "item")
    lines = [f"dataset {report.dataset}: {items} added{_known(report.known)}"]
    if report.items:
        lines.append(
            f"with {plural(report.revisions, 'revision')}, {plural(report.verdicts, 'verdict')},"
            f" {plural(report.events, 'label event')}, {plural(report.documents, 'document')}"
        )
    if report.releases:
        lines.append(f"releases: {', '.join(report.releases)}")
    return Outcome(tuple(lines), report.misfits)


def of_run(made: ImportedRun) -> Outcome:
    """A run of a foreign system, and what its files did not say."""
    given = made.predictions - made.not_provided
    lines = [
        *made.built,
        f"run {made.run.name}: {given:,} of {plural(made.predictions, 'prediction')} there",
    ]
    if made.scores:
        lines.append(f"imported scores: {made.scores:,}")
    unknown = made.unknown_documents
    warnings = _counted(
        (
            made.not_provided,
            f"{made.not_provided:,} turns have no prediction; they count as missing",
        ),
        (made.failed, f"{made.failed:,} predictions failed where they were made"),
        (
            made.unlocated,
            f"{made.unlocated:,} retrieved texts are not in their documents word for word",
        ),
        (
            len(unknown),
            f"{len(unknown):,} retrieved documents are not in the corpus"
            f" ({', '.join(unknown[:_UNKNOWN])}); they keep their ranks",
        ),
    )
    jobs = (made.job.id,) if made.job is not None else ()
    return Outcome(tuple(lines), warnings, made.release.label, jobs)


def of_pairs(made: ImportedPairs) -> Outcome:
    """The compared answers of RAGChecker with their labels."""
    line = (
        f"dataset {made.release.label}: {plural(made.pairs, 'pair')} of"
        f" {plural(len(made.runs), 'system')}, {plural(made.labels, 'label')} by"
        f" {', '.join(made.raters)}"
    )
    return Outcome((line,), (), made.release.label, tuple(job.id for job in made.jobs))


def of_scores(made: ImportedScores) -> Outcome:
    """The scores of another judge for a run."""
    states = ", ".join(f"{count:,} {state}" for state, count in made.states.items())
    return Outcome((f"judge {made.judge} on run {made.run}: {', '.join(made.metrics)}; {states}",))


def of_sets(made: ImportedSets) -> Outcome:
    """The questions that RAGQuestEval asks."""
    defects = made.defects
    entries = plural(defects.entries, "entry", "entries")
    warnings = _counted(
        *(
            (count, f"{count:,} of {entries} {text}")
            for count, text in (
                (defects.empty, "are empty"),
                (defects.unequal, "have more answers than questions, or fewer"),
                (defects.unusable, "hold no question that the golden answer answers"),
                (made.elsewhere, f"are of no item of {made.release}"),
                (made.without_golden, "are of an item without a golden answer"),
            )
        ),
        (
            defects.unanswerable,
            f"{defects.unanswerable:,} of {plural(defects.questions, 'question')} have no"
            " answer in the golden answer; they are left out of every score",
        ),
    )
    line = f"question sets {made.name}: {plural(made.sets, 'item')} of {made.release}"
    return Outcome((line,), warnings)


def _known(count: int) -> str:
    return f", {count:,} were already there" if count else ""


def _misfits(misfits: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"{misfit}; it has no task now" for misfit in misfits)


def _counted(*texts: tuple[int, str]) -> tuple[str, ...]:
    """The texts whose count is not 0."""
    return tuple(text for count, text in texts if count)
