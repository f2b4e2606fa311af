"""A small corpus whose documents share entities, with its graph, and what to evolve from it."""

from __future__ import annotations

from pathlib import Path

from tiny_workspaces import put_text
from worker_here import work_here

from engine.evolve.evolve_job import Evolve
from engine.graph.graph_job import BuildGraph
from engine.jobs.operation import queue
from store.corpora import corpora
from store.records import ChunkingSettings
from store.workspace import open_workspace

NAMES = ("Heron Bank", "Crane Fund", "Stork Trust", "Oslo City", "Bergen Town")


def make(folder: Path) -> Path:
    """Twelve short texts, each naming two of five entities, with their graph."""
    with open_workspace(folder, create=True) as workspace, workspace.write() as db:
        corpus = corpora.create(db, "birds", ChunkingSettings(200, 0))
        for at in range(12):
            first, second = NAMES[at % 5], NAMES[(at * 2 + 1) % 5]
            text = (
                f"minutes: {first} met {second} on matter {at}. They agreed on {at} terms."
                f" {first} lends {at + 3} million. {second} holds {at + 5} bonds."
            )
            put_text(db, corpus, f"{at:02}.txt", text)
    with open_workspace(folder) as workspace:
        queue(workspace, BuildGraph("birds"))
    work_here(folder)
    return folder


def asked(**changes: object) -> Evolve:
    given = {
        "corpus": "birds",
        "dataset": "harder",
        "initial": 6,
        "partners": 2,
        "past_threshold": True,
        "rounds": 2,
        **changes,
    }
    return Evolve(**given)  # type: ignore[arg-type]
