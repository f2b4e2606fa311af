"""The next steps that Home proposes, derived from the contents of the workspace."""

from __future__ import annotations

from typing import NamedTuple

from store.messages import plural
from store.sharing.team import Role
from tui.live.facts import INSPECTION, DatasetFact, Facts, Topicless, Waiting, WorkFact
from tui.live.labels import moment_text

MOST = 8
RUNS_OF_A_RELEASE = 3
SAMPLES = 3
NAMES = 3


class Step(NamedTuple):
    key: str
    """`results RUN`, `runs KEY`, `launch RELEASE`, `build DATASET`, `corpus NAME`, `inspect`,
    `label SAMPLE`, `conflicts FORM`, `release DATASET`, `ask VERB` and the like."""
    what: str
    hint: str
    """What Enter does."""
    role: str = ""


BEGINNINGS = (
    Step("ask documents", "Read your own documents into a corpus", "choose the files"),
    Step("ask import", "Import a benchmark, or your own questions", "choose the kind"),
    Step("ask sample_corpus", "Look around in a sample, with three systems", "load it"),
)
"""The ways to fill a workspace."""


def next_steps(facts: Facts) -> list[Step]:
    """Returns at most `MOST` steps, the most urgent first."""
    active = facts.active[:RUNS_OF_A_RELEASE]
    steps = [
        *(_trouble(fact) for fact in facts.work if _is_in_trouble(fact)),
        *_inspection(facts),
        *_labels(facts),
        *_conflicts(facts),
        *_nothing_left(facts),
        *(_finished(fact) for fact in _looked_for(facts)),
        *_labelled(facts),
        *_conflicts_of_others(facts),
        *_named(facts),
        *(
            Step(f"runs {fact.key}", f"{fact.title} is {fact.status}", "watch it")
            for fact in active
        ),
        *(_topicless(fact) for fact in facts.topicless),
        *_building(facts),
        *(step for dataset in facts.datasets for step in _dataset_steps(dataset, facts)),
        *_corpus_steps(facts),
    ]
    return steps[:MOST]


def _is_in_trouble(fact: WorkFact) -> bool:
    return fact.status in ("interrupted", "no worker", "failed") or fact.status.startswith("paused")


def _trouble(fact: WorkFact) -> Step:
    what = f"{fact.title} is {fact.status}"
    if fact.status == "no worker":
        what = f"{fact.title} waits, and no worker runs"
    if fact.job is not None and fact.job.error:
        what += f": {fact.job.error}"
    return Step(f"runs {fact.key}", what, "z goes on; Enter: see it", "warn")


def _inspection(facts: Facts) -> list[Step]:
    """Proposes the items that wait for this rater's inspection."""
    return [
        Step("inspect", f"{plural(one.waiting, 'item')} to inspect", _go_on(one))
        for one in facts.own
        if one.form == INSPECTION and one.waiting
    ]


def _go_on(one: Waiting) -> str:
    return f"{one.done:,} done by you; go on" if one.done else "begin"


def _building(facts: Facts) -> list[Step]:
    """Proposes drafts to inspect and cells below their target, unless a job is working on them."""
    if any(fact.job.kind in ("generate", "inspect") for fact in facts.active if fact.job):
        return []
    done, wanted, _ = facts.inspection
    has_drawn = done < wanted or bool(_inspection(facts))
    steps = []
    for one in facts.building:
        if one.drafted and not has_drawn:
            what = f"{plural(one.drafted, 'draft')} of {one.dataset} to inspect"
            steps.append(Step(f"inspect {one.dataset}", what, "inspect; F3 I does it by rule"))
        if one.short:
            what = f"{plural(one.short, 'cell')} of {one.dataset}"
            steps.append(Step(f"build {one.dataset}", f"{what} short of target", "see why, go on"))
    return steps


def _topicless(fact: Topicless) -> Step:
    """Proposes topics for a corpus that a taxonomy does not fit."""
    what = f"{fact.without:,} of {fact.documents:,} documents of {fact.corpus} fit no topic"
    return Step(f"topics {fact.corpus}", what, "build topics for them", "warn")


def _conflicts(facts: Facts) -> list[Step]:
    """Proposes the conflicts that this rater may rule on."""
    steps = []
    for one in facts.labelled:
        others = one.conflicts - one.to_rule
        if one.to_rule:
            what = f"{plural(one.to_rule, 'label conflict')}, {one.form}"
            hint = f"resolve them; {others:,} for others" if others else "resolve them"
            steps.append(Step(f"conflicts {one.form}", what, hint))
    return steps


def _conflicts_of_others(facts: Facts) -> list[Step]:
    """Shows the conflicts on the rater's own labels, which a third person has to rule on."""
    return [
        Step(
            f"differences {one.form}",
            f"{plural(one.conflicts, 'conflict')} for a third person, {one.form}",
            "see what raters differ on",
        )
        for one in facts.labelled
        if one.conflicts and not one.to_rule
    ]


_SUBJECTS = {"prediction": "answer", "pair": "pair", "revision": "item"}


def _labels(facts: Facts) -> list[Step]:
    """Proposes the labels that wait for this rater, one sample a line."""
    waiting = [one for one in facts.own if one.form != INSPECTION and one.waiting]
    steps = [
        Step(
            f"label {one.sample}",
            f"{plural(one.waiting, _SUBJECTS[one.kind])} to label, {one.sample}",
            _go_on(one),
        )
        for one in waiting[:SAMPLES]
    ]
    rest = waiting[SAMPLES:]
    if rest:
        more = sum(one.waiting for one in rest)
        what = f"{more:,} more to label in {plural(len(rest), 'sample')}"
        steps.append(Step("label", what, "S there chooses"))
    return steps


def _nothing_left(facts: Facts) -> list[Step]:
    """Tells a rater who has finished all samples that a quota is full, or who is still missing, and
    what to do."""
    done = sum(one.done for one in facts.own)
    if not done or any(one.waiting for one in facts.own):
        return []
    if facts.full:
        return [
            Step(
                "inspect" if one.form == INSPECTION else f"label {one.sample}",
                one.statement,
                one.remedy,
            )
            for one in facts.full
        ]
    missing = facts.inspection.wanted - facts.inspection.done
    missing += sum(one.wanted - one.done for one in facts.to_label)
    what = (
        f"You are done; {plural(missing, 'label')} wait{'' if missing > 1 else 's'} for others"
        if missing > 0
        else "You are done, and so is everything that was drawn"
    )
    place = "inspect" if any(one.form == INSPECTION for one in facts.own) else "label"
    return [Step(place, what, "+ there draws more", "good")]


def _named(facts: Facts) -> list[Step]:
    """Tells a person who is a rater of no open sample who the raters are, as the name may be
    wrong."""
    names = facts.others_named
    if not names:
        return []
    shown = ", ".join(names[:NAMES]) + (" and others" if len(names) > NAMES else "")
    # where a group shares the workspace nobody else can be the rater
    hint = "go on as one of them" if facts.role is Role.OPERATOR else "an operator assigns raters"
    return [Step("ask rater", f"The open samples are for {shown}", hint)]


def _labelled(facts: Facts) -> list[Step]:
    """Proposes what the existing labels can be used for."""
    steps = [
        Step(
            f"agreement {one.form}",
            f"{one.shared:,} labelled by two or more, {one.form}",
            "how far they agree",
        )
        for one in facts.labelled
        if one.shared
    ]
    answers = facts.labels("judge_labels")
    if answers is not None:
        what = plural(answers.subjects, "labelled answer")
        steps.append(Step("export", f"{what} can teach a judge", "export them"))
    return steps


def _looked_for(facts: Facts) -> list[WorkFact]:
    """Returns the newest finished runs of each release."""
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
        return [Step(f"release {name}", f"Dataset {name} has no release yet", "release it")]
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
