"""A dataset with all its history, as our own JSON Lines: revisions, verdicts, labels, releases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from engine.exporters.scope import Scope
from store.datasets import datasets
from store.formats.folder import ExportFolder
from store.history import archive, exports
from store.history.exports import EventRow, ExportItem, RevisionRow
from store.jobs import prompts
from store.labels import consensus
from store.labels.forms import Form
from store.labels.log.events import EventKind, LabelEvent, Subject, aspect_of, effective
from store.records import ItemContent, ItemState, Source
from store.workspace import Workspace

R = TypeVar("R", exports.InspectionRow, exports.JudgementRow, RevisionRow)


def write(workspace: Workspace, scope: Scope, folder: ExportFolder) -> dict[str, int]:
    """`dataset.json`, `documents.jsonl`, `items.jsonl` and `events.jsonl`; see `formats.archive`.

    Of a release: what its items were then, with the revisions, verdicts and labels up to it.
    """
    history = _History(workspace, scope)
    documents = folder.json_lines(archive.DOCUMENTS, history.documents())
    items = folder.json_lines(archive.ITEMS, map(history.item, scope.items))
    events = folder.json_lines(archive.EVENTS, history.events())
    folder.json(archive.DATASET, history.dataset())
    return {
        **scope.counts(),
        "items": items,
        "revisions": sum(len(rows) for rows in history.revisions.values()),
        "verdicts": sum(len(rows) for rows in history.verdicts.values()),
        "events": events,
        "documents": documents,
    }


def recount(folder: Path) -> dict[str, int]:
    """Counts what the files hold; the counts by status under `status STATE`."""
    counts = dict.fromkeys(("items", "turns", "revisions", "verdicts"), 0)
    for _, item in archive.read_items(folder):
        counts["items"] += 1
        counts["turns"] += len(item.text.content.turns)
        counts["revisions"] += len(item.revisions)
        counts["verdicts"] += len(item.verdicts)
        status = f"status {item.state}"
        counts[status] = counts.get(status, 0) + 1
    events = [line for _, line in archive.read_events(folder)]
    counts["events"] = len(events)
    for line in _values(events):
        for label in (f"rater {line.rater}", f"guideline {line.form} {line.guideline or '-'}"):
            counts[label] = counts.get(label, 0) + 1
    counts["documents"] = sum(1 for _ in archive.read_documents(folder))
    return counts


def _values(events: Sequence[archive.EventLine]) -> list[archive.EventLine]:
    """The events that give what each rater says now of each field."""
    by_number = {line.number: line for line in events}
    standing = (by_number[event.seq] for event in effective(map(_event, events)))
    latest = {
        (one.form, one.item, one.revision, one.repeat, one.rater, one.field): one
        for one in standing
        if aspect_of(EventKind(one.kind)) == "value"
    }
    return [one for one in latest.values() if one.value is not None]


def _event(line: archive.EventLine) -> LabelEvent:
    """As much of an event as replaying needs."""
    return LabelEvent(
        line.number,
        line.at,
        line.rater,
        line.form_version,
        line.form,
        Subject("revision", f"{line.revision}{line.repeat}"),
        line.field,
        line.value,
        EventKind(line.kind),
        line.undoes,
        "import",
        line.active_ms,
        line.guideline,
    )


class _History:
    """Everything about the chosen items, with numbers that mean something outside a workspace."""

    def __init__(self, workspace: Workspace, scope: Scope) -> None:
        self._db = workspace.db
        self._scope = scope
        history = scope.history(self._db)
        self.revisions = _by_item(history.revisions())
        self._numbers = {row.id: row.number for rows in self.revisions.values() for row in rows}
        # what a release leaves out cannot be named by what it takes in
        self.verdicts = _by_item(
            row
            for row in history.inspections()
            if row.revision in self._numbers and row.correction in (None, *self._numbers)
        )
        self._events = history.events()
        judged = {event.revision for event in self._events}
        self._judgements = _by_item(row for row in history.judgements() if row.revision in judged)
        self._provenances = history.provenances()
        self._question_sets = history.question_sets()
        self._frozen: dict[int, list[archive.ReleasedLine]] = {}
        versions = self._versions()
        for version, item, revision, state in exports.frozen(self._db, scope.dataset):
            if version in versions:
                line = archive.ReleasedLine(
                    version, self._numbers.get(revision, 0), ItemState(state)
                )
                self._frozen.setdefault(item, []).append(line)

    def _versions(self) -> set[int]:
        """The releases to export: the one that was asked for, or all."""
        if self._scope.release is not None:
            return {self._scope.release.version}
        return {release.version for release in datasets.releases(self._db, self._scope.dataset)}

    def documents(self) -> Iterator[archive.DocumentLine]:
        references = [
            document_id
            for rows in self.revisions.values()
            for row in rows
            for document_id in _content(row.content).documents
        ]
        for row in exports.documents(self._db, self._scope.corpus, list(dict.fromkeys(references))):
            sources = (
                archive.SourceLine(self._source(source), meta, live)
                for source, meta, live in row.sources
                if source.path
            )
            yield archive.DocumentLine(row.document_id, row.text, tuple(sources))

    def _source(self, source: Source) -> Source:
        return replace(source, path=self._scope.names.path(source.path))

    def item(self, item: ExportItem) -> archive.ItemLine:
        names = self._scope.names
        came = self._provenances.get(item.id)
        return archive.ItemLine(
            item.key,
            item.group,
            item.state,
            item.at,
            item.number,
            tuple(map(self._revision, self.revisions[item.id])),
            tuple(
                archive.InspectionLine(
                    self._numbers[row.revision],
                    row.repeat,
                    names(row.inspector),
                    row.prompt,
                    row.state,
                    row.evaluation,
                    row.reason,
                    msgspec.json.decode(row.checks),
                    None if row.correction is None else self._numbers[row.correction],
                    row.at,
                )
                for row in self.verdicts.get(item.id, ())
            ),
            tuple(
                archive.JudgementLine(
                    row.form,
                    self._numbers[row.revision],
                    ItemState(row.state_before),
                    self._numbers[row.head_before],
                    row.quorum,
                )
                for row in self._judgements.get(item.id, ())
            ),
            tuple(self._frozen.get(item.id, ())),
            tuple(
                archive.PlacedLine(
                    split.name, placed.side, placed.group, placed.stratum, placed.reason
                )
                for split, placed in self._scope.placed.get(item.key, ())
            ),
            None
            if came is None
            else archive.Provenance(
                came.model,
                came.prompt_id,
                came.prompt,
                msgspec.json.decode(came.documents, type=tuple[str, ...]),
                came.at,
            ),
            tuple(self._question_sets.get(item.id, ())),
        )

    def _revision(self, row: RevisionRow) -> archive.RevisionLine:
        return archive.RevisionLine(
            row.number,
            None if row.parent is None else self._numbers[row.parent],
            self._scope.names(row.author),
            row.reason,
            row.at,
            _content(row.content),
        )

    def events(self) -> Iterator[archive.EventLine]:
        numbers = {event.seq: at for at, event in enumerate(self._events, 1)}
        keys = {item.id: item.key for item in self._scope.items}
        weighed = exports.weighed(self._db)
        reasons = consensus.reasons(self._db)
        known = exports.form_versions(self._db)
        for event in self._events:
            yield archive.EventLine(
                numbers[event.seq],
                event.at,
                self._scope.names(event.rater),
                event.form,
                event.form_version,
                keys[event.item],
                self._numbers[event.revision],
                event.repeat,
                event.field,
                self._value(event, known[event.form, event.form_version]),
                event.kind,
                None if event.undoes is None else numbers[event.undoes],
                event.origin,
                event.active_ms,
                event.guideline,
                tuple(numbers[seq] for seq in weighed.get(event.seq, ()) if seq in numbers),
                reasons.get(event.seq, ""),
                self._scope.names(event.account),
            )

    def _value(self, event: EventRow, form: Form) -> Any:
        value = None if event.value is None else msgspec.json.decode(event.value)
        if holds_revision(form, event.field) and event.kind in REVISION_KINDS:
            return self._numbers.get(value, value) if isinstance(value, int) else value
        return value

    def dataset(self) -> archive.DatasetFile:
        scope, names = self._scope, self._scope.names
        used = sorted({(event.form, event.form_version) for event in self._events})
        judged = {row.form for rows in self._judgements.values() for row in rows}
        known = exports.form_versions(self._db)
        latest = {key: version for key, version in known if key in judged}
        keys = sorted({key for key, _ in used})
        hashes = {row.prompt for rows in self.verdicts.values() for row in rows}
        hashes |= {row.prompt for row in self._provenances.values()}
        placed = {split.name: split for sides in scope.placed.values() for split, _ in sides}
        releases = datasets.releases(self._db, scope.dataset)
        notes = exports.notes(self._db, scope.dataset)
        wanted = self._versions()
        return archive.DatasetFile(
            scope.dataset.name,
            scope.corpus.name,
            scope.corpus.chunking,
            scope.taxonomy,
            tuple(
                archive.FormLine(version, known[key, version])
                for key, version in sorted({*used, *latest.items()})
            ),
            tuple(
                replace(one, author=names(one.author))
                for one in exports.guidelines(self._db, keys)
                if scope.release is None or one.at <= scope.release.created_at
            ),
            tuple(
                archive.SplitLine(name, split.sides, split.seed)
                for name, split in sorted(placed.items())
            ),
            tuple(prompts.get(self._db, one) for one in sorted(filter(None, hashes))),
            tuple(
                archive.ReleaseLine(release.version, notes[release.version], release.created_at)
                for release in releases
                if release.version in wanted
            ),
        )


REVISION_KINDS = frozenset({"set", "import", "accept", "adjudicate"})
"""The events whose value in a field of revisions is a revision's number."""


def holds_revision(form: Form, field: str) -> bool:
    return bool(field) and form.field(field).kind == "revision"


def _by_item(rows: Iterable[R]) -> dict[int, list[R]]:
    grouped: dict[int, list[R]] = {}
    for row in rows:
        grouped.setdefault(row.item, []).append(row)
    return grouped


_content = msgspec.json.Decoder(ItemContent).decode
