"""The question that links the documents of a corpus by the entities that they share."""

from __future__ import annotations

from store.messages import plural
from tui.language import tr
from tui.screens.destinations import AtWork
from tui.screens.form import Pick
from tui.screens.model_form import ask_job, model_pick
from tui.screens.place import PlaceScreen


def ask_graph(screen: PlaceScreen) -> None:
    """Asks of which corpus and by which model; then the graph is built in the background."""
    # imported on use: it brings the corpus' indexes with it
    from engine.graph.graph_job import BuildGraph

    host = screen.host
    if not host.facts.sources:
        host.show_problem("There is no corpus yet. F2, then + reads files into one.")
        return
    corpora = [(name, plural(count, "document")) for name, count in host.facts.sources]

    ask_job(
        host,
        tr("Build an entity graph"),
        lambda: (
            Pick("corpus", "Corpus", corpora),
            model_pick(host, tr("names by rule: a baseline, no network")),
        ),
        lambda values: BuildGraph(values["corpus"], model=values["model"]),
        lambda values: tr("the graph of {corpus}", corpus=values["corpus"]),
        lambda job: host.open(AtWork(f"job {job.id}")),
    )
