"""Judges: what a judge is, which ones a workspace has, and how one that computes is loaded.

There are four kinds. `rules` and `trained` compute, in a child process; a `model` is asked at an
endpoint; `imported` scores came from elsewhere and can be read but not given. A kind that computes
has an entry in `FINDERS`, which says what of it a workspace has, and one in `LOADERS`, which makes
it ready. Scores carry the hash of the judge's whole configuration, so a judge that changes in any
way that could change a score is another judge of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from msgspec import Struct

from engine.judge.light.folder import load_trained, trained_judges
from engine.judge.model.settings import model_judges
from engine.judge.rules import judge as rules
from store.errors import InputError, NotFound, UsageError
from store.hashing import content_hash
from store.messages import choices
from store.records import Lang, MetricScore, Passage

JudgeKind = Literal["rules", "model", "trained", "imported"]


class JudgeSpec(Struct, frozen=True):
    """A judge by name, with all that its scores depend on."""

    name: str
    kind: JudgeKind
    metrics: tuple[str, ...]
    """Of `engine.judge.rules.judge.METRICS`, those that it gives."""
    config: dict[str, Any]
    """Plain JSON with the judge's name in it; equal configurations give equal scores."""

    @property
    def hash(self) -> str:
        """Of the configuration: what scores and calibrations are bound to."""
        return content_hash(self.config)


class Case(Struct, frozen=True):
    """One answer with everything that a judge may look at."""

    prediction_id: int
    question: str
    history: tuple[tuple[str, str], ...]
    """(question, answer) of the earlier turns of a conversation."""
    golden_answers: tuple[str, ...]
    """Forms of one answer; none where the item has none."""
    answer: str
    """Empty for an answer that a filter withheld."""
    passages: tuple[Passage, ...]
    """What was retrieved, best first."""
    lang: Lang
    closed_book: bool = False
    retrieval_unknown: bool = False
    """An answer made elsewhere that came without its retrieved texts."""


class ComputedJudge(Protocol):
    """A judge that computes: no network, equal cases give equal scores."""

    def judge(self, cases: Sequence[Case]) -> list[tuple[MetricScore, ...]]:
        """For each case, its scores in variant `standard`: every metric of the judge once, on the
        scales as stored, with state `na` and a reason where it does not apply."""


class _Rules:
    def judge(self, cases: Sequence[Case]) -> list[tuple[MetricScore, ...]]:
        return [rules.judge_case(case) for case in cases]


def _rules(folder: Path) -> list[JudgeSpec]:
    return [JudgeSpec(rules.JUDGE_NAME, "rules", rules.METRICS, rules.judge_config())]


def _models(folder: Path) -> list[JudgeSpec]:
    return [
        JudgeSpec(judge.name, "model", judge.metrics, judge.config())
        for judge in model_judges(folder).values()
    ]


FINDERS: tuple[Callable[[Path], Sequence[JudgeSpec]], ...] = (_rules, _models, trained_judges)
"""Each says what judges of its kind the workspace in a folder has."""

LOADERS: dict[JudgeKind, Callable[[Path, JudgeSpec], ComputedJudge]] = {
    "rules": lambda folder, spec: _Rules(),
    "trained": load_trained,
}
"""By kind, makes a judge ready to compute from what the workspace in a folder holds."""


def judges(folder: Path) -> dict[str, JudgeSpec]:
    """The judges that a workspace can ask, by name: the rules first, then models, then others.

    Raises InputError for broken settings and when two judges share a name.
    """
    found: dict[str, JudgeSpec] = {}
    for find in FINDERS:
        for spec in find(folder):
            if spec.name in found:
                raise InputError(
                    f"Two judges are called {spec.name!r}: a {found[spec.name].kind} and a"
                    f" {spec.kind} one.",
                    "Rename one of them.",
                )
            found[spec.name] = spec
    return found


def check_free(folder: Path, name: str) -> None:
    """UsageError when a judge that is not a trained one has the name: the rules, a model."""
    spec = judges(folder).get(name)
    if spec is not None and spec.kind != "trained":
        raise UsageError(
            f"{name!r} is the name of a judge of kind {spec.kind}.", "Choose another name."
        )


def find_judge(folder: Path, name: str) -> JudgeSpec:
    """The judge of that name; NotFound with the names that there are."""
    have = judges(folder)
    if name not in have:
        raise NotFound(
            f"There is no judge {name!r}.",
            choices(name, have, "Judges")
            + " A model becomes one by [judges.NAME] in ragdesk.toml.",
        )
    return have[name]


def load_computed(folder: Path, spec: JudgeSpec) -> ComputedJudge:
    """The judge, ready to compute. Raises InputError for a kind that does not compute."""
    if spec.kind not in LOADERS:
        raise InputError(f"Judge {spec.name!r} is {spec.kind}: it computes nothing here.")
    return LOADERS[spec.kind](folder, spec)
