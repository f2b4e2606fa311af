"""The questions of what to build: corpus, dataset and taxonomy, and the topics of a taxonomy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from store.messages import plural
from store.records import Topic
from tui.building.figures import free_name
from tui.building.plan import Plan
from tui.building.queries import PruneQuery, TaxonomyFileQuery
from tui.language import language, local_name, tr
from tui.screens.confirm import confirm
from tui.screens.form import Form, Line, Pick, Values
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.model_form import ask_model, bounds_trouble, budget_of, model_options

FROM_FILE = tr("from a file")


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
            return tr("Name the dataset: a new one, or one that exists.")
        if name in datasets and datasets[name] != values["corpus"]:
            return tr("{name} is about corpus {datasets}.", name=name, datasets=datasets[name])
        return ""

    def proposed(values: Values) -> str:
        """The plan's own dataset with its own corpus; a new one with another."""
        corpus = values["corpus"]
        if plan is not None and corpus == plan.corpus:
            return plan.dataset
        return free_name(datasets, corpus)

    have = ", ".join(datasets)
    host.question(
        Form(
            "What to build",
            [
                Pick("corpus", "Corpus", tuple(corpora.items()), plan.corpus if plan else ""),
                Line(
                    "dataset",
                    "Dataset",
                    plan.dataset if plan else "",
                    "a new name, or one that exists",
                    list(datasets),
                    follows=proposed,
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
            note=tr("Datasets here: {have}.", have=have) if have else "There is no dataset yet.",
            trouble=trouble,
        ),
        lambda values: done(values["corpus"], values["dataset"], values["taxonomy"]),
    )


def ask_propose(host: Host, plan: Plan, names: dict[str, str], done: Callable[[str], None]) -> None:
    """By what, under which name; then the job is queued, or the file read. `done` gets the name of
    the taxonomy."""

    def trouble(values: Values) -> str:
        is_file = values["model"] == FROM_FILE
        if is_file and not Path(values["path"]).expanduser().is_file():
            return (
                tr("There is no file {path!r}.", path=values["path"])
                if values["path"]
                else tr("Name the file.")
            )
        if not is_file and (not values["name"] or values["name"] in names):
            return tr("Name the new taxonomy.") if not values["name"] else tr("This name is taken.")
        if not (values["count"].isdecimal() and 2 <= int(values["count"]) <= 200):
            return "Propose 2 to 200 topics."
        return bounds_trouble(values)

    def make() -> Form:
        by = model_options(host, tr("by words that documents share: a baseline"))
        return Form(
            tr("New topics for {corpus}", corpus=plan.corpus),
            [
                Pick("model", "By", [*by, (FROM_FILE, tr("ours, or OmniEval's topic_tree.json"))]),
                Line("name", "Name", f"{plan.corpus}-topics", "of the taxonomy"),
                Line(
                    "domain",
                    "About",
                    "",
                    tr("what the corpus is about; {corpus}", corpus=plan.corpus),
                ),
                Line("count", "How many topics", "12", "about so many"),
                Line("path", "File", "", "Tab completes; for topics from a file", is_path=True),
                Line("max_tokens", "Token limit", hint="none; of a model"),
                Line("max_cost", "Cost limit", hint="none; of a model with prices"),
            ],
            "Go on",
            note=tr(
                "Tasks are those of {key}. Rename and prune what comes.", key=plan.taxonomy.key
            ),
            trouble=trouble,
        )

    def decided(values: Values) -> None:
        name = values["name"]
        if values["model"] == FROM_FILE:
            asked = TaxonomyFileQuery(values["path"], name, plan.taxonomy.key)
            _change(host, tr("reading the topics"), asked, done)
            return
        # imported on use: it brings the segmentation of texts with it
        from engine.taxonomy.topics_job import ProposeTopics

        operation = ProposeTopics(
            plan.corpus,
            name,
            values["domain"],
            count=int(values["count"]),
            tasks_from=plan.taxonomy.key,
            model=values["model"],
            budget=budget_of(values),
        )
        queue_job(host, tr("the proposal"), operation, lambda _: done(name))

    ask_model(host, make, decided)


def ask_rename(
    host: Host, plan: Plan, topic: Topic, own: set[str], done: Callable[[str], None]
) -> None:
    """A topic's name in the language shown; of a copy where the taxonomy comes with ragdesk."""
    now, lang = local_name(topic), language()
    parts = [Line("to", "Name", now, "in Chinese" if lang == "zh" else "in English")]
    parts += _copy_parts(plan, own)

    def decided(values: Values) -> None:
        asked = PruneQuery(
            plan.taxonomy.key,
            rename={topic.key: values["to"]},
            # a topic of one name keeps one
            lang=None if topic.zh == topic.en else lang,
            new_name=values.get("copy", ""),
        )
        _change(host, "renaming", asked, done)

    host.question(
        Form(
            tr("Rename {now}", now=now),
            parts,
            "Rename it",
            note=_copy_note(plan, own),
            trouble=lambda values: (
                tr("Write a name.") if not values["to"] else _copy_trouble(values, own)
            ),
        ),
        decided,
    )


def ask_prune(
    host: Host, plan: Plan, documents: int, own: set[str], done: Callable[[str], None]
) -> None:
    """Whether what is left out shall leave the taxonomy; under which name if it is a copy. `done`
    gets that name."""
    gone = [topic.key for topic in plan.taxonomy.topics if topic.key in plan.left_out]
    loses = tr(
        "{documents:,} documents that had one of them have no topic then, until they are"
        " classified again.",
        documents=documents,
    )
    if len(gone) == 1:
        loses = tr(
            "{documents:,} documents that had it have no topic then, until they are classified"
            " again.",
            documents=documents,
        )

    def prune(copy: str) -> None:
        _change(host, "pruning", PruneQuery(plan.taxonomy.key, tuple(gone), new_name=copy), done)

    if plan.taxonomy.key in own:
        confirm(
            host,
            tr(
                "Take {topics} out of {key}?",
                topics=plural(len(gone), "topic"),
                key=plan.taxonomy.key,
            ),
            loses,
            tr("prune it"),
            lambda: prune(""),
        )
        return
    host.question(
        Form(
            tr("Prune {key}", key=plan.taxonomy.key),
            _copy_parts(plan, own),
            tr(
                "Make a copy without {n} of its {all} topics",
                n=len(gone),
                all=len(plan.taxonomy.topics),
            ),
            note=_copy_note(plan, own),
            trouble=lambda values: _copy_trouble(values, own),
        ),
        lambda values: prune(values["copy"]),
    )


def _change(
    host: Host, what: str, query: PruneQuery | TaxonomyFileQuery, done: Callable[[str], None]
) -> None:
    """Has a taxonomy changed beside the app; `done` gets its name."""
    host.ask(what, query, done)


def _copy_parts(plan: Plan, own: set[str]) -> list[Line]:
    """A line for the copy's name, where there has to be one."""
    if plan.taxonomy.key in own:
        return []
    return [Line("copy", "Name of the copy", f"{plan.corpus}-topics")]


def _copy_note(plan: Plan, own: set[str]) -> str:
    if plan.taxonomy.key in own:
        return ""
    stays = (
        ""
        if plan.is_new
        else tr(" {dataset} keeps {key}.", dataset=plan.dataset, key=plan.taxonomy.key)
    )
    return tr(
        "{key} comes with ragdesk and stays as it is; a copy is changed.{stays}",
        key=plan.taxonomy.key,
        stays=stays,
    )


def _copy_trouble(values: Values, own: set[str]) -> str:
    name = values.get("copy")
    if name is None:
        return ""
    if not name:
        return tr("Name the copy.")
    return tr("This name is taken.") if name in own else ""
