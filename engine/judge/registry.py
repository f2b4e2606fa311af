"""The methods of judging, and the judges by name that a workspace has of them.

Scores carry the hash of a judge's whole configuration, so a judge that changes in any way that
could change a score is another judge of the same name. Imported scores have a judge too, but no
method: they can be read, not given.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.judge.base import LABELLED, Judge, JudgeMethod, JudgeSpec, specs_of
from engine.judge.claims.metrics import METRICS as OF_CLAIMS
from engine.judge.ekrag.metrics import METRICS as OF_EKRAG
from engine.judge.jury.method import jury_of
from engine.judge.model.omnieval import METRICS as OF_OMNIEVAL
from engine.judge.own.metrics import PREFIX, own_spec
from engine.judge.ragquesteval.metrics import METRICS as OF_RAGQUESTEVAL
from engine.judge.rules.method import RULES
from engine.judge.settings import MODEL_METHOD, JudgeTable, judge_table, judge_tables
from engine.judge.similarity.metrics import METRICS as OF_SIMILARITY
from engine.metrics.spec import MetricSpec, metric_names, resolve
from store.errors import InputError, NotFound, UsageError
from store.messages import choices


def _method(kind: str, metrics: Sequence[MetricSpec], read: str, judge: str) -> JudgeMethod:
    """The method of a folder here. `read` makes a spec of a workspace's folder and a table of the
    method, and `judge` a judge of the folder and a spec; each is MODULE:NAME, imported on use."""

    def find(folder: Path, tables: Sequence[JudgeTable]) -> Sequence[JudgeSpec]:
        return [_named(read)(folder, table) for table in tables]

    return JudgeMethod(kind, tuple(metrics), find, lambda folder, spec: _named(judge)(folder, spec))


def _named(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(f"engine.judge.{module}"), name)


_ALONE = (
    RULES,
    _method(
        MODEL_METHOD,
        (*specs_of(metric_names("standard", "judge")), *OF_OMNIEVAL),
        "model.settings:model_judge",
        "model.judge:open_model_judge",
    ),
    # those that `ragdesk train` wrote, each a folder of the workspace: they have no tables
    JudgeMethod(
        "trained",
        specs_of(LABELLED),
        lambda folder, tables: _named("light.folder:trained_judges")(folder),
        lambda folder, spec: _named("light.folder:load_trained")(folder, spec),
    ),
    _method(
        "ragquesteval",
        OF_RAGQUESTEVAL,
        "ragquesteval.settings:quest_judge",
        "ragquesteval.judge:QuestJudge",
    ),
    _method(
        "claims",
        [metric.spec for metric in OF_CLAIMS.values()],
        "claims.settings:claims_judge",
        "claims.judge:open_claims_judge",
    ),
    _method("ekrag", OF_EKRAG, "ekrag.settings:ekrag_judge", "ekrag.settings:open_ekrag_judge"),
    _method(
        "similarity",
        OF_SIMILARITY,
        "similarity.settings:similarity_judge",
        "similarity.judge:SimilarityJudge",
    ),
    _method("python", (), "own.settings:own_judge", "own.judge:OwnJudge"),
)
METHODS: dict[str, JudgeMethod] = {method.kind: method for method in (*_ALONE, jury_of(_ALONE))}
"""By kind, in the order in which their judges are listed."""


def judges(folder: Path) -> dict[str, JudgeSpec]:
    """The judges that a workspace can ask, by name.

    Raises InputError for broken settings and when two judges share a name.
    """
    return _judges_of(folder, judge_tables(folder))


def check_table(folder: Path, name: str, fields: dict[str, Any]) -> JudgeSpec:
    """The judge that a table of that name would define, whatever other tables hold: of several
    broken ones each can be mended. Raises what `judges` raises of it."""
    table = judge_table(folder, name, fields)
    specs = _judges_of(folder, [table])
    if name not in specs:
        raise InputError(f"{table.place}: judges of {table.method!r} need no table.", "Remove it.")
    return specs[name]


def _judges_of(folder: Path, tables: Sequence[JudgeTable]) -> dict[str, JudgeSpec]:
    for table in tables:
        if table.method not in METHODS:
            raise InputError(
                f"{table.place}.method is {table.method!r}.",
                choices(table.method, METHODS, "Methods"),
            )
    specs: dict[str, JudgeSpec] = {}
    for kind, method in METHODS.items():
        for spec in method.find(folder, [table for table in tables if table.method == kind]):
            if spec.name in specs:
                raise InputError(
                    f"Two judges are called {spec.name!r}: a {specs[spec.name].kind} and a"
                    f" {spec.kind} one.",
                    "Rename one of them.",
                )
            specs[spec.name] = spec
    return specs


def check_free(folder: Path, name: str) -> None:
    """UsageError when a judge that is not a trained one has the name: the rules, a model."""
    spec = judges(folder).get(name)
    if spec is not None and spec.kind != "trained":
        raise UsageError(
            f"{name!r} is the name of a judge of kind {spec.kind}.", "Choose another name."
        )


def find_judge(folder: Path, name: str, metrics: Collection[str] = ()) -> JudgeSpec:
    """The judge of that name, its members too, with those of its metrics alone where any are named.

    Raises NotFound with the names that there are, UsageError for a metric that it does not give.
    """
    have = judges(folder)
    if name not in have:
        raise NotFound(
            f"There is no judge {name!r}.",
            choices(name, have, "Judges")
            + " A model becomes one by [judges.NAME] in ragdesk.toml.",
        )
    spec = have[name]
    unknown = [metric for metric in metrics if metric not in spec.metrics]
    if unknown:
        raise UsageError(
            f"Judge {name!r} does not give {unknown[0]!r}.",
            choices(unknown[0], spec.metrics, "It gives"),
        )
    chosen = tuple(metric for metric in spec.metrics if metric in metrics or not metrics)
    members = tuple(replace(member, metrics=chosen) for member in spec.members)
    return replace(spec, metrics=chosen, members=members)


def open_judge(folder: Path, spec: JudgeSpec) -> Judge:
    """The judge, ready for work. Raises InputError for a kind that gives no scores here, and when
    what the judge needs of the workspace is not there any more."""
    if spec.kind not in METHODS:
        raise InputError(f"Judge {spec.name!r} is {spec.kind}: it gives no scores here.")
    return METHODS[spec.kind].open(folder, spec)


def judged_names() -> tuple[str, ...]:
    """The names of all metrics that judges give, in the order of their methods."""
    specs = (spec for method in METHODS.values() for spec in method.metrics)
    return tuple(dict.fromkeys(spec.name for spec in specs))


def metric_spec(name: str, variant: str = "standard") -> MetricSpec:
    """The spec of a metric, whether computed, a judge's, of one method alone or one's own.

    Raises UsageError for an unknown name; the message names the close ones.
    """
    for method in METHODS.values():
        for spec in method.metrics:
            if (spec.name, spec.variant) == (name, variant):
                return spec
    if name.startswith(PREFIX) and variant == "standard":
        return own_spec(name)
    return resolve(name, variant)
