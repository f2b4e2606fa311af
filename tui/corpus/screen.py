"""The Corpus screen: the corpora of the workspace, and a search in the documents of one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input

from store.corpora import corpora, graphs
from store.corpora.browsing import document_rows
from store.corpora.corpora import Corpus, CorpusCounts
from store.jobs import unreadable
from store.jobs.unreadable import RefusedPart
from store.workspace import Workspace
from tui.corpus.add_paths import open_add_paths
from tui.corpus.keys import ACTIONS
from tui.corpus.refused import RefusedScreen
from tui.language import tr
from tui.live.facts import Facts, Topicless
from tui.screens.destinations import AtTopics
from tui.screens.document_rows import DOCUMENT_COLUMNS, DocumentSource
from tui.screens.place import PlaceScreen
from tui.widgets.bars import ProgressLines, job_progress
from tui.widgets.heading import SectionLine
from tui.widgets.line import TextLines
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

CORPORA_SHOWN = 4
INGESTS_SHOWN = 3
COUNT_COLUMNS = (
    Column("corpus", minimum=12),
    Column("documents", 9, "right"),
    Column("chunks", 9, "right"),
    Column("tokens", 12, "right"),
    Column("cut to", 24, drop=1),
)
Listed = tuple[tuple[Corpus, CorpusCounts], ...]


class CorpusScreen(PlaceScreen, actions=ACTIONS):
    PLACE = "corpus"

    def __init__(self) -> None:
        super().__init__()
        self.corpora = Rows(
            ListSource(),
            COUNT_COLUMNS,
            empty="No corpus yet. + reads your files into one.",
            id="corpora",
        )
        self.progress = ProgressLines(id="ingests")
        self.refused_line = TextLines(1, id="refused")
        self.topics_line = TextLines(1, id="topics")
        self.heading = SectionLine("Documents")
        self.wanted = Input(
            placeholder=tr("find, from one character up; Enter: to the list, Esc: cancel"),
            id="wanted",
            compact=True,
        )
        self.documents = Rows(ListSource(), DOCUMENT_COLUMNS, id="documents")
        self.listed: Listed = ()
        self.corpus: Corpus | None = None
        self.rows: Sequence[int] = ()
        self.refused: Sequence[RefusedPart] = ()
        self._all = 0

    def compose_body(self) -> Iterator[Widget]:
        with Vertical(id="corpus-body"):
            yield self.corpora
            yield self.progress
            yield self.refused_line
            yield self.topics_line
            yield self.heading
            yield self.wanted
            yield self.documents

    def on_mount(self) -> None:
        super().on_mount()
        self.corpora.focus()

    def context(self) -> tuple[str, ...]:
        name = self.corpus.name if self.corpus is not None else ""
        return tuple(filter(None, (name, self.host.facts.folder.name)))

    def idle_keys(self) -> Collection[str]:
        of_corpus = () if self.corpus is not None else ("corpus.find", "corpus.entities")
        return {*of_corpus, *(() if self.refused else ("corpus.refused",))}

    def command(self) -> Sequence[str]:
        if self.corpus is None or not self.wanted.value:
            return ("corpora",)
        return ("search", "--corpus", self.corpus.name, self.wanted.value)

    # What is shown

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        self._show_ingests(facts)
        self._show_topics()
        if facts.is_open and (before is None or _signature(before) != _signature(facts)):
            self.host.in_thread("counting", _listed, self._show_corpora, group="corpora")
            self._show_refused()
        elif before is None:
            self._show_corpora(())

    def _show_ingests(self, facts: Facts) -> None:
        """Shows the jobs that read files, and those that wait for a person."""
        ingests = [
            work for work in facts.work if work.job is not None and work.job.kind == "ingest"
        ]
        shown = [work for work in ingests if work.is_active or work.can_resume][:INGESTS_SHOWN]
        self.progress.display = bool(shown)
        self.progress.show([job_progress(work) for work in shown])

    def _show_topics(self) -> None:
        """Says of the corpus under the cursor that most of its documents fit no topic."""
        fact = self._topicless
        self.topics_line.display = fact is not None
        if fact is not None:
            text = tr(
                "{without:,} of {documents:,} documents fit no topic of {taxonomy}",
                without=fact.without,
                documents=fact.documents,
                taxonomy=fact.taxonomy,
            )
            builds = f" {tr('builds topics')}"
            self.topics_line.show(
                [[("! ", "warn"), (text, "warn"), ("   *", "key"), (builds, "muted")]]
            )

    @property
    def _topicless(self) -> Topicless | None:
        name = self.corpus.name if self.corpus is not None else ""
        return next((one for one in self.host.facts.topicless if one.corpus == name), None)

    async def action_propose(self) -> None:
        if self.corpus is not None:
            await self.host.open(AtTopics(self.corpus.name))

    def _show_refused(self) -> None:
        self.refused = self.host.read(unreadable.unseen) or ()
        count = len(self.refused)
        what = tr("1 file or part of a file was refused")
        if count > 1:
            what = tr("{number:,} files or parts were refused", number=count)
        key = self.host.registry.key("corpus.refused")
        self.refused_line.display = bool(count)
        self.show_footer()
        self.refused_line.show(
            [
                [
                    ("! ", "warn"),
                    (what, "warn"),
                    (f"   {key}", "key"),
                    (f" {tr('says why')}", "muted"),
                ]
            ]
        )

    def _show_corpora(self, listed: Listed) -> None:
        self.listed = listed
        rows = [_corpus_row(corpus, counts) for corpus, counts in listed]
        self.corpora.replace_source(ListSource(rows))
        self.corpora.styles.height = min(len(rows), CORPORA_SHOWN) + 1 if rows else 4
        self.corpus = self._current()
        self._list_documents(is_same=True)

    def _current(self) -> Corpus | None:
        row = self.corpora.current
        if row is None:
            return None
        return next((corpus for corpus, _ in self.listed if corpus.name == row.key), None)

    def _list_documents(self, *, is_same: bool = False) -> None:
        """Read which documents there are; the cursor keeps its row in the same list."""
        corpus, wanted = self.corpus, self.wanted.value
        self.show_where()
        self._show_topics()
        if corpus is None:
            self.documents.set_source(ListSource())
            return
        self.host.in_thread(
            tr("finding {wanted}", wanted=wanted) if wanted else "listing the documents",
            lambda workspace: document_rows(workspace.db, corpus, wanted),
            lambda rows: self._show_documents(corpus, wanted, rows, is_same=is_same),
            group="documents",
        )

    def _show_documents(
        self, corpus: Corpus, wanted: str, rows: Sequence[int], *, is_same: bool
    ) -> None:
        if (corpus, wanted) != (self.corpus, self.wanted.value):
            return
        self.rows = rows
        source = DocumentSource(self.host, corpus, rows)
        if is_same:
            self.documents.replace_source(source)
        else:
            self.documents.set_source(source)
        if wanted:
            note = tr("none: {wanted}", wanted=wanted)
            if rows:
                note = tr(
                    "{number:,} of {all:,} hold {wanted}",
                    number=len(rows),
                    all=self._all,
                    wanted=wanted,
                )
        else:
            self._all = len(rows)
            note = f"{len(rows):,}"
        self.heading.show(tr("Documents of {name}", name=corpus.name), note)

    # What is chosen

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        if message.rows is not self.corpora:
            return
        corpus = self._current()
        if corpus is not None and corpus != self.corpus:
            self.corpus = corpus
            self._close_search()
            self._list_documents()

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        if message.rows is self.corpora:
            self.documents.focus()
        elif self.corpus is not None:
            from tui.corpus.document import DocumentScreen

            self.app.push_screen(
                DocumentScreen(self.corpus, self.rows, message.index, self.wanted.value),
                self._came_back,
            )

    def _came_back(self, index: int | None) -> None:
        if index is not None:
            self.documents.move_to(index)

    # Adding

    def action_add(self) -> None:
        chunkings = {corpus.name: corpus.chunking for corpus, _ in self.listed}
        open_add_paths(self.host, chunkings, self.corpus.name if self.corpus is not None else "")

    def action_entities(self) -> None:
        corpus = self.corpus
        if corpus is None:
            return
        if self.host.read(lambda db: graphs.find(db, corpus) is not None):
            from tui.corpus.entities import EntitiesScreen

            self.app.push_screen(EntitiesScreen(corpus))
            return
        self.host.advise(
            "{name} has no entity graph yet: ctrl+p, then build a graph.", name=corpus.name
        )

    def action_refused(self) -> None:
        parts = self.refused
        if not parts:
            self.host.advise("You have read all refusals.")
            return

        def read(is_read: bool | None) -> None:
            if is_read:
                self.host.in_thread(
                    "noting",
                    lambda workspace: self._note(workspace, parts),
                    lambda _: self._show_refused(),
                )

        self.app.push_screen(RefusedScreen(parts), read)

    def _note(self, workspace: Workspace, parts: Sequence[RefusedPart]) -> None:
        with workspace.write() as db:
            unreadable.mark_seen(db, [part.job_id for part in parts], self.host.rater or "somebody")

    # Finding

    def action_find(self) -> None:
        if self.corpus is not None:
            self.add_class("-finding")
            self.wanted.focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        if self.has_class("-finding"):
            self._list_documents()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.documents.focus()

    def step_back(self) -> bool:
        """The first Esc leaves the search, the next one the list."""
        if self.has_class("-finding"):
            self.documents.focus()
            self._close_search()
            self._list_documents()
        elif self.documents.has_focus:
            self.corpora.focus()
        else:
            return False
        return True

    def _close_search(self) -> None:
        self.remove_class("-finding")
        self.wanted.value = ""


def _listed(workspace: Workspace) -> Listed:
    db = workspace.db
    return tuple((corpus, corpora.counts(db, corpus)) for corpus in corpora.listing(db))


def _signature(facts: Facts) -> object:
    """Returns a value that changes when documents may have come, gone, or been classified."""
    alone = [(work.key, work.status) for work in facts.work if work.run is None]
    return facts.is_open, facts.opened, facts.sources, alone


def _corpus_row(corpus: Corpus, counts: CorpusCounts) -> Row:
    cut = corpus.chunking
    return Row(
        corpus.name,
        (
            Cell(corpus.name, "strong"),
            f"{counts.documents:,}",
            f"{counts.chunks:,}",
            f"{counts.tokens:,}",
            Cell(
                tr(
                    "{size:,} {unit}, {overlap:,} shared",
                    size=cut.size,
                    unit=cut.unit,
                    overlap=cut.overlap,
                ),
                "muted",
            ),
        ),
    )
