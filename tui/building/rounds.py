"""Beginning a round in which people write items from documents, and how far rounds are."""

from __future__ import annotations

import re

from msgspec import Struct
from msgspec.structs import astuple

from store.messages import plural
from store.workspace import Workspace
from tui.language import later, tr
from tui.screens.form import Form, Line, Pick, Values, is_count, seed_trouble
from tui.screens.place import PlaceScreen
from tui.screens.sheet import Report, Said, Table, show_report

TAXONOMY = "ekrag"
MOST_DOCUMENTS = 4
PEOPLE = (
    ("writers", tr("Writers"), later("who writes questions; none: anyone")),
    ("answerers", tr("Answerers"), later("who answers them; none: anyone")),
    ("leads", tr("Leads"), later("who vets items; none: anyone")),
)
"""(key, label, hint)."""
DOCUMENTS = re.compile(r"([1-4])(?:-([1-4]))?")


class RoundsQuery(Struct, frozen=True):
    def answer(self, workspace: Workspace) -> Report:
        """Every round, how far it is, and who does what."""
        from engine.generate.commissions import rounds

        found = rounds(workspace.db)
        if not found:
            return (Said(tr("There is no round yet: ctrl+p, then begin a round.")),)
        head = ("round", "dataset", "items", "write", "answer", "vet", "again", "accepted")
        rows = [
            (one.name, one.dataset, *(f"{count:,}" for count in astuple(one.progress)))
            for one in found
        ]
        named = [
            "; ".join(
                f"{label.lower()} {', '.join(names) or 'anyone'}"
                for (_, label, _), names in zip(PEOPLE, one.people, strict=True)
            )
            for one in found
        ]
        return (
            Table(((*head, "discarded"), *rows)),
            *(Said(f"{one.name}: {text}") for one, text in zip(found, named, strict=True)),
        )


def ask_round(screen: PlaceScreen) -> None:
    """Asks of what and by whom, then gives the documents out."""
    host = screen.host
    if not host.facts.sources:
        host.show_problem("There is no corpus yet. F2, then + reads files into one.")
        return
    corpora = [(name, plural(count, "document")) for name, count in host.facts.sources]
    datasets = {fact.dataset.name: fact.corpus for fact in host.facts.datasets}

    def decided(values: Values) -> None:
        # imported on use: it brings retrieval with it
        from engine.generate.commissions import BeginRound, Round, RoundRequest

        def begun(made: Round) -> None:
            host.advise(
                "Round {name}: {items} of {dataset} to be authored from {documents}; F7 "
                "Label gives them out.",
                name=made.name,
                items=plural(made.items, "item"),
                dataset=made.dataset,
                documents=plural(made.documents, "document"),
            )

        fewest, most = _documents(values["documents"]) or (1, 1)
        asked = RoundRequest(
            values["name"],
            values["corpus"],
            values["dataset"],
            int(values["items"]),
            fewest,
            most,
            _names(values["writers"]),
            _names(values["answerers"]),
            _names(values["leads"]),
            "" if values["dataset"] in datasets else values["taxonomy"],
            int(values["seed"]),
        )
        host.ask_apart("giving documents out", BeginRound(asked, host.rater), begun)

    host.question(
        Form(
            "Begin a round of authoring",
            [
                Pick("corpus", "Corpus", corpora, most_lines=3),
                Line("name", "Name", "round-1", "of the round"),
                Line(
                    "dataset",
                    "Dataset",
                    hint="a new name, or one that exists",
                    suggestions=list(datasets),
                    follows=lambda values: f"{values['corpus']}-authored",
                ),
                Line("items", "Items", "20", "to be written"),
                Line("documents", "Documents", "1", "given together: 1, or from 1 to 4 as in 1-4"),
                *(Line(key, label, hint=hint) for key, label, hint in PEOPLE),
                Line("taxonomy", "Taxonomy", TAXONOMY, "of a new dataset"),
                Line("seed", "Seed", "0", "of the draw"),
            ],
            "Begin it",
            note="Each item is written, answered and vetted by three different people, at Label.",
            trouble=lambda values: round_trouble(values, datasets),
        ),
        decided,
    )


def round_trouble(values: Values, datasets: dict[str, str]) -> str:
    """Why a round cannot be begun so; empty when it can. `datasets` are corpora by name."""
    name, dataset = values["name"], values["dataset"]
    if not name or "/" in name:
        return tr("Name the round, without /.")
    if not dataset:
        return tr("Name the dataset: a new one, or one that exists.")
    if datasets.get(dataset, values["corpus"]) != values["corpus"]:
        return tr(
            "{dataset} is about corpus {datasets}.", dataset=dataset, datasets=datasets[dataset]
        )
    if not is_count(values["items"]):
        return tr("Items are a whole number above 0.")
    if _documents(values["documents"]) is None:
        return tr(
            "Documents together are 1 to {most_documents}, or a range such as 1-4.",
            most_documents=MOST_DOCUMENTS,
        )
    people = [_names(values[key]) for key, *_ in PEOPLE]
    if any(len(set(names)) < len(names) for names in people):
        return tr("Somebody is named twice in a step.")
    if all(people) and len({one for names in people for one in names}) < len(PEOPLE):
        return tr("An item takes three people: nobody answers or vets what they wrote.")
    return seed_trouble(values)


def _documents(text: str) -> tuple[int, int] | None:
    match = DOCUMENTS.fullmatch(text)
    if match is None:
        return None
    fewest, most = int(match[1]), int(match[2] or match[1])
    return (fewest, most) if fewest <= most else None


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


def ask_rounds(screen: PlaceScreen) -> None:
    """Shows how far the rounds are."""
    host = screen.host
    if host.facts.is_open:
        host.ask_apart(
            "looking at the rounds",
            RoundsQuery(),
            lambda report: show_report(host, "rounds of authoring", report),
        )
