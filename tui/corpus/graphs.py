"""The question that links the documents of a corpus by the entities that they share."""

from __future__ import annotations

from engine.jobs.start import EstimateQuery
from store.messages import plural
from tui.language import tr
from tui.screens.destinations import AtWork
from tui.screens.form import Form, Pick, Values
from tui.screens.job_requests import queue_job
from tui.screens.model_form import ModelForm, ask_model, budget_of, calls_words, model_pick
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

    def asked(values: Values) -> BuildGraph:
        return BuildGraph(values["corpus"], model=values["model"], budget=budget_of(values))

    def make() -> Form:
        return ModelForm(
            tr("Build an entity graph"),
            host,
            parts=(
                Pick("corpus", "Corpus", corpora),
                model_pick(host, tr("names by rule: a baseline, no network")),
            ),
            estimate=lambda values: EstimateQuery.of(asked(values)),
            words=calls_words,
        )

    ask_model(
        host,
        make,
        lambda values: queue_job(
            host,
            tr("the graph of {corpus}", corpus=values["corpus"]),
            asked(values),
            lambda job: host.open(AtWork(f"job {job.id}")),
        ),
    )
