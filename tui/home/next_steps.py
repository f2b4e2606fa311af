"""What a person may want to do next, drafted from what the workspace holds."""

from __future__ import annotations

from typing import NamedTuple

from tui.live.facts import DatasetFact, Facts, WorkFact
from tui.live.words import moment_text

MOST = 8
RUNS_OF_A_RELEASE = 3


class Step(NamedTuple):
    key: str
    """`results RUN`, `runs KEY`, `launch RELEASE`, `build DATASET`, `corpus NAME`, `inspect`, or
    empty when it is done outside the app."""
    what: str
    hint: str
    """What Enter does, or the command to type."""
    role: str = ""


COMMANDS = (
    ("ragdesk demo", "a sample corpus, three systems, their matrices: in seconds"),
    ("ragdesk ingest FILES... --corpus NAME", "your own documents"),
    ("ragdesk import beir DIR --corpus NAME --dataset NAME", "a benchmark in BEIR's format"),
    ("ragdesk import items FILE --corpus NAME --dataset NAME", "your own questions and answers"),
)
"""The ways to fill a workspace, most telling first."""


def next_steps(facts: Facts) -> list[Step]:
    """The most pressing first, at most `MOST`."""
    active = facts.active[:RUNS_OF_A_RELEASE]
    steps = [
        *(_trouble(fact) for fact in facts.work if fact.status in _TROUBLES),
        *_conflicts(facts),
        *_inspection(facts),
        *_labels(facts),
        *(_finished(fact) for fact in _looked_for(facts)),
        *_labelled(facts),
        *(
            Step(f"runs {fact.key}", f"{fact.title} is {fact.status}", "watch it")
            for fact in active
        ),
        *_building(facts),
        *(step for dataset in facts.datasets for step in _dataset_steps(dataset, facts)),
        *_corpus_steps(facts),
    ]
    return steps[:MOST]


_TROUBLES = ("interrupted", "no worker", "failed", "paused (user)", "paused (budget)")


def _trouble(fact: WorkFact) -> Step:
    what = f"{fact.title} is {fact.status}"
    if fact.status == "no worker":
        what = f"{fact.title} waits, and no worker runs"
    if fact.job is not None and fact.job.error:
        what += f": {fact.job.error}"
    return Step(f"runs {fact.key}", what, "see it, z goes on", "warn")


def _inspection(facts: Facts) -> list[Step]:
    """What waits for people's judgement."""
    done, wanted, short = facts.inspection
    if done >= wanted:
        return []
    waiting = wanted - done
    what = f"{waiting:,} item{'s' if waiting > 1 else ''} to inspect"
    cells = f"{short:,} cell{'s' if short > 1 else ''} short"
    return [Step("inspect", f"{what}, {cells}", f"{done:,} of {wanted:,} done; go on")]


def _building(facts: Facts) -> list[Step]:
    """Drafts that wait, and cells that are short, where no job is about to change that."""
    if any(fact.job.kind in ("generate", "inspect") for fact in facts.active if fact.job):
        return []
    done, wanted, _ = facts.inspection
    steps = []
    for one in facts.building:
        if one.drafted and done >= wanted:
            what = f"{one.drafted:,} draft{'s' if one.drafted > 1 else ''} of {one.dataset}"
            steps.append(Step("inspect", f"{what} to inspect", "inspect; F3 I does it by rule"))
        if one.short:
            what = f"{one.short:,} cell{'s' if one.short > 1 else ''} of {one.dataset}"
            steps.append(Step(f"build {one.dataset}", f"{what} short of target", "see why, go on"))
    return steps


def _conflicts(facts: Facts) -> list[Step]:
    """What raters differ on, for a third to rule on."""
    return [
        Step(
            f"conflicts {one.form}",
            f"{one.conflicts:,} label conflict{'s' if one.conflicts > 1 else ''}, {one.form}",
            "rule on them",
        )
        for one in facts.labelled
        if one.conflicts
    ]


_SUBJECTS = {"prediction": "answer", "pair": "pair", "revision": "item"}


def _labels(facts: Facts) -> list[Step]:
    """What waits for people's labels."""
    steps = []
    for one in facts.to_label:
        waiting = one.wanted - one.done
        if waiting > 0:
            what = f"{waiting:,} {_SUBJECTS[one.kind]}{'s' if waiting > 1 else ''} to label"
            done = f"{one.done:,} of {one.wanted:,} done; go on"
            steps.append(Step(f"label {one.form}", f"{what}, {one.form}", done))
    return steps


def _labelled(facts: Facts) -> list[Step]:
    """What can be made of the labels that there are."""
    steps = [
        Step(
            f"agreement {one.form}",
            f"{one.raters:,} raters have labelled, {one.form}: {one.shared:,} by two or more",
            "how far they agree",
        )
        for one in facts.labelled
        if one.shared
    ]
    answers = facts.labels("judge_labels")
    if answers is not None:
        what = f"{answers.subjects:,} labelled answer{'s' if answers.subjects > 1 else ''}"
        steps.append(Step("export", f"{what} can teach a judge", "export them"))
    return steps


def _looked_for(facts: Facts) -> list[WorkFact]:
    """The newest finished runs of each release; the others are one key away."""
    newest: dict[str, list[WorkFact]] = {}
    for fact in facts.work:
        if fact.run is not None and fact.status in ("done", "imported"):
            newest.setdefault(fact.release, []).append(fact)
    return [fact for found in newest.values() for fact in found[:RUNS_OF_A_RELEASE]]


def _finished(fact: WorkFact) -> Step:
    when = ""
    if fact.job is not None and fact.job.finished_at is not None:
        when = f" {moment_text(fact.job.finished_at)}"
    return Step(f"results {fact.key}", f"{fact.title} finished{when}", "look at its matrix")


def _dataset_steps(fact: DatasetFact, facts: Facts) -> list[Step]:
    name = fact.dataset.name
    if fact.latest is None:
        return [Step("", f"Dataset {name} has no release yet", f"ragdesk release --dataset {name}")]
    if not any(work.release == fact.latest.label for work in facts.work):
        return [
            Step(f"launch {fact.latest.label}", f"{fact.latest.label} is not evaluated yet", "run")
        ]
    return []


def _corpus_steps(facts: Facts) -> list[Step]:
    with_items = {fact.corpus for fact in facts.datasets}
    return [
        Step(
            f"corpus {name}",
            f"Corpus {name} has {count:,} documents and no dataset",
            "generate items from it",
        )
        for name, count in facts.sources
        if name not in with_items
    ]
