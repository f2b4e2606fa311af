"""Exports runs: every prediction with its passages, and every score, in one of several layouts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Any

from engine.exporters.layouts import RUN_LAYOUTS
from store import views
from store.corpora import corpora, taxonomies
from store.datasets import datasets
from store.errors import UsageError
from store.formats.folder import whole_folder, write_manifest
from store.formats.manifest import Manifest
from store.history import exports
from store.jobs import model_calls
from store.jobs.model_calls import CallRef
from store.messages import choices
from store.records import ReleasedItem
from store.runs import details, judge_scores, runs, stages
from store.systems import NO_ANSWERS
from store.workspace import Workspace, snapshot

TEXTS_KEPT = 2000


class RunExport:
    """A run as it leaves: its rows, with the texts and names of what was retrieved."""

    def __init__(self, workspace: Workspace, name: str | int) -> None:
        self.db = workspace.db
        self.run = runs.get(self.db, name)
        self.release = datasets.release_by_id(self.db, self.run.release_id)
        dataset = datasets.get_by_id(self.db, self.release.dataset_id)
        self.corpus = corpora.get_by_id(self.db, dataset.corpus_id)
        self.taxonomy = taxonomies.get(self.db, dataset.taxonomy_id)
        self.names = exports.document_names(self.db, self.corpus)
        self._texts: dict[str, str] = {}

    @property
    def folder(self) -> str:
        """The name of the run as that of a folder or file."""
        return self.run.name.replace("/", "_").lstrip(".") or f"run-{self.run.id}"

    @cached_property
    def items(self) -> dict[str, ReleasedItem]:
        found = datasets.released_items(self.db, self.release.id)
        return {item.item_key: item for item in found}

    @cached_property
    def judges(self) -> dict[str, str]:
        """By hash the name of each judge; an older one of the same name has digits of its hash."""
        held = judge_scores.of_run(self.db, self.run.id)
        newest = {judge.name: judge.hash for judge in held}
        return {"": ""} | {
            judge.hash: judge.name if newest[judge.name] == judge.hash else judge.label
            for judge in held
        }

    def predictions(self) -> Iterator[dict[str, Any]]:
        """The rows of `v1_predictions`; every passage with its document's name and its text.

        In `stages` stands what each stage before retrieval asked, was told and searched for."""
        for row in views.rows(self.db, "predictions", run=self.run.name):
            if row["retrieved"] is not None:
                row["retrieved"] = [self._passage(hit) for hit in row["retrieved"]]
            if self.run.system.generator == NO_ANSWERS:
                row["answer"] = None
            row["stages"] = self._stages(row["prediction_id"])
            yield row

    def scores(self) -> Iterator[dict[str, Any]]:
        """The rows of `v1_scores`."""
        return views.rows(self.db, "scores", run=self.run.name)

    def name_of(self, document: str) -> str:
        return self.names.get(document, document)

    def text(self, document: str) -> str:
        """The text of a document; empty where the corpus lacks it."""
        if document not in self._texts:
            if len(self._texts) >= TEXTS_KEPT:
                self._texts.clear()
            held = corpora.documents_by_id(self.db, self.corpus, [document])
            self._texts[document] = held[document].text if document in held else ""
        return self._texts[document]

    def _stages(self, prediction_id: int) -> list[dict[str, Any]] | None:
        """Null for a system without stages beside retrieval."""
        if not (self.run.system.query or self.run.system.context):
            return None
        kept = {
            **stages.named(self.db, prediction_id, "query/"),
            **stages.named(self.db, prediction_id, "context/"),
        }
        queries = [
            {
                "stage": name,
                "queries": value.queries,
                "unusable": value.unusable,
                "calls": [self._call(ref) for ref in value.calls],
            }
            for name, value in details.query_stages(kept)
        ]
        contexts = [
            {
                "stage": name,
                "passages": value.passages,
                "calls": [self._call(ref) for ref in value.calls],
            }
            for name, value in details.context_stages(kept)
        ]
        return [*queries, *contexts]

    def _call(self, ref: CallRef) -> dict[str, Any]:
        """A request and its reply; both null where they were purged."""
        call = model_calls.get(self.db, ref.key)
        return {
            "messages": call.request.get("messages") if call else None,
            "reply": call.reply if call else None,
            "cached": ref.cached,
        }

    def _passage(self, hit: dict[str, Any]) -> dict[str, Any]:
        document, start, end = hit["document_id"], hit["start"], hit["end"]
        return {
            "document_id": document,
            "source": self.name_of(document),
            "start": start,
            "end": end,
            "score": hit["score"],
            "text": self.text(document)[start:end],
        }


def query_id(row: dict[str, Any], item: ReleasedItem) -> str:
    """The name of a turn where a layout knows queries only: `KEY`, in a conversation `KEY#TURN`."""
    return row["item"] if len(item.content.turns) == 1 else f"{row['item']}#{row['turn']}"


def export_runs(
    workspace: Workspace, names: Sequence[str], kind: str, out: Path, *, force: bool = False
) -> Manifest:
    """Writes runs into the folder `out` in one of RUN_LAYOUTS, whole or not at all.

    Raises NotFound for a run that there is not, UsageError for a run that is named twice.
    """
    if kind not in RUN_LAYOUTS:
        raise UsageError(
            f"There is no layout {kind!r}.", choices(kind, RUN_LAYOUTS, "There are"), "--as"
        )
    layout = RUN_LAYOUTS[kind]
    with snapshot(workspace.db):
        chosen = [RunExport(workspace, name) for name in names]
        if len({one.folder for one in chosen}) < len(chosen):
            raise UsageError("Two of the runs have one name in files.", "Export them one by one.")
        with whole_folder(out, force=force) as folder:
            counts: dict[str, int] = import_module(layout.module).write(chosen, kind, folder)
            notes = [layout.note] if layout.note else []
            if kind == "jsonl":
                notes += [_way_back(one) for one in chosen]
            source = {"runs": ", ".join(one.run.name for one in chosen)}
            return write_manifest(
                folder,
                f"run-{kind}",
                1,
                source,
                counts,
                notes=tuple(notes),
            )


def _way_back(one: RunExport) -> str:
    """The command that imports the run again with the same scores."""
    system = one.run.system
    return (
        f"imported again by `ragdesk import predictions {quote(f'{one.folder}/predictions.jsonl')}"
        f" --run NAME --dataset {quote(one.release.label)} --k {system.top_k}"
        f"{' --closed-book' if system.retriever is None else ''}`, and what a judge said by"
        f" `ragdesk import scores {quote(f'{one.folder}/scores.jsonl')} --run NAME --judge JUDGE`"
    )
