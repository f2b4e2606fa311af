"""The question that grows harder items from simple ones, over a corpus with an entity graph."""

from __future__ import annotations

from store.corpora import corpora, graphs
from store.messages import plural
from tui.language import tr
from tui.screens.destinations import AtWork
from tui.screens.form import Line, Pick, Values, is_count
from tui.screens.model_form import ask_job, model_pick
from tui.screens.place import PlaceScreen


def ask_evolve(screen: PlaceScreen) -> None:
    """Asks of what and by which model; then the items are grown in the background."""
    # imported on use: it brings retrieval with it
    from engine.evolve.evolve_job import Evolve

    host = screen.host
    linked = host.read(
        lambda db: [one.name for one in corpora.listing(db) if graphs.find(db, one) is not None]
    )
    if not linked:
        host.advise("Evolution needs a corpus with an entity graph: ctrl+p, then build a graph.")
        return
    counts = dict(host.facts.sources)
    options = [(name, plural(counts.get(name, 0), "document")) for name in linked]
    datasets = {fact.dataset.name: fact.corpus for fact in host.facts.datasets}

    def asked(values: Values) -> Evolve:
        return Evolve(
            corpus=values["corpus"],
            dataset=values["dataset"],
            initial=int(values["initial"]),
            source=values["source"],
            rounds=int(values["rounds"]),
            seed=int(values["seed"]),
            model=values["model"],
        )

    def trouble(values: Values) -> str:
        if not values["dataset"]:
            return tr("Name the dataset for the items.")
        if datasets.get(values["dataset"], values["corpus"]) != values["corpus"]:
            return tr(
                "{dataset} is about corpus {datasets}.",
                dataset=values["dataset"],
                datasets=datasets[values["dataset"]],
            )
        for key, label in (("initial", tr("Questions")), ("rounds", tr("Rounds"))):
            if not is_count(values[key]):
                return tr("{label} are a whole number above 0.", label=label)
        if values["source"] and values["source"] not in datasets:
            return tr("There is no dataset {source} to evolve.", source=values["source"])
        return "" if values["seed"].lstrip("-").isdecimal() else tr("The seed is a whole number.")

    ask_job(
        host,
        tr("Evolve items"),
        lambda: (
            Pick("corpus", "Corpus", options, most_lines=3),
            model_pick(host, tr("drafts and concatenation by rule: a baseline, no network")),
            Line(
                "dataset",
                "Dataset",
                hint="for the items; a new name, or one that exists",
                suggestions=list(datasets),
                follows=lambda values: f"{values['corpus']}-evolved",
            ),
            Line("source", "From", "", "a dataset whose items are evolved; none: new ones"),
            Line("initial", "Questions", "20", "to begin with"),
            Line("rounds", "Rounds", "5", "at most"),
            Line("seed", "Seed", "0", "of every random choice"),
        ),
        asked,
        lambda values: tr("the evolution of {dataset}", dataset=values["dataset"]),
        lambda job: host.open(AtWork(f"job {job.id}")),
        trouble,
    )
