"""The question of what to build: corpus, dataset and taxonomy."""

from __future__ import annotations

from collections.abc import Callable

from tui.building.form import BuildForm, Line, Pick, Values
from tui.building.plan import Plan
from tui.screens.host import Host


def ask_plan(
    host: Host,
    plan: Plan | None,
    corpora: dict[str, str],
    datasets: dict[str, str],
    taxonomies: dict[str, str],
    done: Callable[[str, str, str], None],
) -> None:
    """Corpus, dataset and taxonomy; `datasets` are the corpora of those that exist, by name."""

    def trouble(values: Values) -> str:
        name = values["dataset"]
        if not name:
            return "Name the dataset: a new one, or one that exists."
        if name in datasets and datasets[name] != values["corpus"]:
            return f"{name} is about corpus {datasets[name]}."
        return ""

    def decided(values: Values | None) -> None:
        if values is not None:
            done(values["corpus"], values["dataset"], values["taxonomy"])

    have = ", ".join(datasets)
    host.push_screen(
        BuildForm(
            "What to build",
            [
                Pick("corpus", "Corpus", tuple(corpora.items()), plan.corpus if plan else ""),
                Line(
                    "dataset",
                    "Dataset",
                    plan.dataset if plan else "",
                    "a new name, or one that exists",
                    list(datasets),
                ),
                Pick(
                    "taxonomy",
                    "Taxonomy of a new dataset; one that exists keeps its own",
                    tuple(taxonomies.items()),
                    plan.taxonomy.key if plan else "",
                    6,
                ),
            ],
            "Go on",
            note=f"Datasets here: {have}." if have else "There is no dataset yet.",
            trouble=trouble,
        ),
        decided,
    )
