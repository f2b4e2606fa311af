"""The next steps that Home proposes, derived from the contents of the workspace."""

from __future__ import annotations

from typing import NamedTuple

from store.messages import plural
from store.sharing.team import Role
from tui.language import read, tr
from tui.live.facts import INSPECTION, DatasetFact, Facts, Topicless, Waiting, WorkFact
from tui.live.labels import moment_text, status_text

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
    Step("ask documents", tr("Read your own documents into a corpus"), tr("choose the files")),
    Step("ask import", tr("Import a benchmark, or your own questions"), tr("choose the kind")),
    Step("ask sample_corpus", tr("Look around in a sample, with three systems"), tr("load it")),
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
            Step(
                f"runs {fact.key}",
                tr("{title} is {status}", title=fact.title, status=status_text(fact.status)),
                tr("watch it"),
            )
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
    what = tr("{title} is {status}", title=fact.title, status=status_text(fact.status))
    if fact.status == "no worker":
        what = tr("{title} waits, and no worker runs", title=fact.title)
    if fact.job is not None and fact.job.error:
        what += f": {read(fact.job.error)}"
    return Step(f"runs {fact.key}", what, tr("z goes on; Enter: see it"), "warn")


def _inspection(facts: Facts) -> list[Step]:
    """Proposes the items that wait for this rater's inspection."""
    return [
        Step("inspect", tr("{items} to inspect", items=plural(one.waiting, "item")), _go_on(one))
        for one in facts.own
        if one.form == INSPECTION and one.waiting
    ]


def _go_on(one: Waiting) -> str:
    return tr("{done:,} done by you; go on", done=one.done) if one.done else tr("begin")


def _building(facts: Facts) -> list[Step]:
    """Proposes drafts to inspect and cells below their target, unless a job is working on them."""
    if any(fact.job.kind in ("generate", "inspect") for fact in facts.active if fact.job):
        return []
    done, wanted, _ = facts.inspection
    has_drawn = done < wanted or bool(_inspection(facts))
    steps = []
    for one in facts.building:
        if one.drafted and not has_drawn:
            what = tr(
                "{drafts} of {dataset} to inspect",
                drafts=plural(one.drafted, "draft"),
                dataset=one.dataset,
            )
            steps.append(Step(f"inspect {one.dataset}", what, tr("inspect; F3 I does it by rule")))
        if one.short:
            what = tr(
                "{cells} of {dataset} short of target",
                cells=plural(one.short, "cell"),
                dataset=one.dataset,
            )
            steps.append(Step(f"build {one.dataset}", what, tr("see why, go on")))
    return steps


def _topicless(fact: Topicless) -> Step:
    """Proposes topics for a corpus that a taxonomy does not fit."""
    what = tr(
        "{without:,} of {documents:,} documents of {corpus} fit no topic",
        without=fact.without,
        documents=fact.documents,
        corpus=fact.corpus,
    )
    return Step(f"topics {fact.corpus}", what, tr("build topics for them"), "warn")


def _conflicts(facts: Facts) -> list[Step]:
    """Proposes the conflicts that this rater may rule on."""
    steps = []
    for one in facts.labelled:
        others = one.conflicts - one.to_rule
        if one.to_rule:
            what = f"{read(plural(one.to_rule, 'label conflict'))}, {one.form}"
            hint = (
                tr("resolve them; {others:,} for others", others=others)
                if others
                else tr("resolve them")
            )
            steps.append(Step(f"conflicts {one.form}", what, hint))
    return steps


def _conflicts_of_others(facts: Facts) -> list[Step]:
    """Shows the conflicts on the rater's own labels, which a third person has to rule on."""
    return [
        Step(
            f"differences {one.form}",
            tr(
                "{conflicts} for a third person, {form}",
                conflicts=plural(one.conflicts, "conflict"),
                form=one.form,
            ),
            tr("see what raters differ on"),
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
            tr(
                "{subjects} to label, {sample}",
                subjects=plural(one.waiting, _SUBJECTS[one.kind]),
                sample=one.sample,
            ),
            _go_on(one),
        )
        for one in waiting[:SAMPLES]
    ]
    rest = waiting[SAMPLES:]
    if rest:
        more = sum(one.waiting for one in rest)
        what = tr(
            "{more:,} more to label in {samples}", more=more, samples=plural(len(rest), "sample")
        )
        steps.append(Step("label", what, tr("S there chooses")))
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
                read(one.statement),
                read(one.remedy),
            )
            for one in facts.full
        ]
    missing = facts.inspection.wanted - facts.inspection.done
    missing += sum(one.wanted - one.done for one in facts.to_label)
    what = tr("You are done, and so is everything that was drawn")
    if missing == 1:
        what = tr("You are done; 1 label waits for others")
    elif missing > 1:
        what = tr("You are done; {number:,} labels wait for others", number=missing)
    place = "inspect" if any(one.form == INSPECTION for one in facts.own) else "label"
    return [Step(place, what, tr("+ there draws more"), "good")]


def _named(facts: Facts) -> list[Step]:
    """Tells a person who is a rater of no open sample who the raters are, as the name may be
    wrong."""
    names = facts.others_named
    if not names:
        return []
    shown = ", ".join(names[:NAMES])
    if len(names) > NAMES:
        shown = tr("{names} and others", names=shown)
    # where a group shares the workspace nobody else can be the rater
    hint = (
        tr("go on as one of them")
        if facts.role is Role.OPERATOR
        else tr("an operator assigns raters")
    )
    return [Step("ask rater", tr("The open samples are for {shown}", shown=shown), hint)]


def _labelled(facts: Facts) -> list[Step]:
    """Proposes what the existing labels can be used for."""
    steps = [
        Step(
            f"agreement {one.form}",
            tr("{shared:,} labelled by two or more, {form}", shared=one.shared, form=one.form),
            tr("how far they agree"),
        )
        for one in facts.labelled
        if one.shared
    ]
    answers = facts.labels("judge_labels")
    if answers is not None:
        what = plural(answers.subjects, "labelled answer")
        steps.append(Step("export", tr("{what} can teach a judge", what=what), tr("export them")))
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
    return Step(
        f"results {fact.key}",
        tr("{title} finished{when}", title=fact.title, when=when),
        tr("look at its matrix"),
    )


def _dataset_steps(fact: DatasetFact, facts: Facts) -> list[Step]:
    name = fact.dataset.name
    if fact.latest is None:
        return [
            Step(
                f"release {name}",
                tr("Dataset {name} has no release yet", name=name),
                tr("release it"),
            )
        ]
    if not any(work.release == fact.latest.label for work in facts.work):
        return [
            Step(
                f"launch {fact.latest.label}",
                tr("{label} is not evaluated yet", label=fact.latest.label),
                tr("run"),
            )
        ]
    return []


def _corpus_steps(facts: Facts) -> list[Step]:
    with_items = {fact.corpus for fact in facts.datasets}
    return [
        Step(
            f"corpus {name}",
            tr("Corpus {name} has {count:,} documents and no dataset", name=name, count=count),
            tr("generate items from it"),
        )
        for name, count in facts.sources
        if name not in with_items
    ]
