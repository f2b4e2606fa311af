"""The destinations in other places that a screen can ask the app to open."""

from __future__ import annotations

from typing import NamedTuple

from store.labels.log.events import Subject


class AtPlace(NamedTuple):
    """A place as it was left."""

    key: str


class AtWork(NamedTuple):
    """A line of Runs."""

    key: str
    """The key of its `WorkFact`."""


class AtRun(NamedTuple):
    """The results of a run."""

    run_id: int
    back: str = ""
    """The place that Esc leads back to; empty where it stays."""


class AtDataset(NamedTuple):
    """Build, with a dataset; or with a new one from a corpus."""

    dataset: str = ""
    corpus: str = ""


class AtTopics(NamedTuple):
    """Build, with the question that builds topics for a corpus."""

    corpus: str


class Asking(NamedTuple):
    """The question of an action that is in every place, by its verb."""

    verb: str


class AtSample(NamedTuple):
    """The sample of this name at Label."""

    name: str


class AtAgreement(NamedTuple):
    """The agreement of a form's raters, or the list of what they differ on."""

    form: str
    conflicts: bool = False


class AtRuling(NamedTuple):
    """Adjudication of a form's conflicts."""

    form: str
    first: tuple[Subject, str] | None = None
    """The subject and the field to begin with."""


class AtJudges(NamedTuple):
    """Every judge against the people who labelled a sample; against all labels without one."""

    sample: str | None
    by: str = ""
    """Which of its tables; empty for what suits the labels."""


class NewRun(NamedTuple):
    """The question that starts a run, with a release chosen, `NAME@V`."""

    release: str = ""


class JudgeRuns(NamedTuple):
    """The question that lets a judge score runs, with one of them chosen."""

    run: str = ""


class AtQueue(NamedTuple):
    """What a person goes on to judge from figures over the work: one subject, or a part of the
    queue of the form."""

    subject: Subject | None = None
    topic: str | None = None
    task: str | None = None
    sample: str | None = None


Destination = (
    AtPlace
    | AtWork
    | AtRun
    | AtDataset
    | AtTopics
    | Asking
    | AtSample
    | AtAgreement
    | AtRuling
    | AtJudges
    | NewRun
    | JudgeRuns
)

PLACE_OF: dict[type[NamedTuple], str] = {
    AtWork: "runs",
    AtRun: "results",
    AtDataset: "build",
    AtTopics: "build",
    AtSample: "label",
    AtAgreement: "agreement",
}
"""The places of the destinations that a screen of that place shows."""
