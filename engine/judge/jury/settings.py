"""Juries: the `[judges.NAME]` tables with `method = "jury"`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from engine.judge.base import JudgeSpec
from engine.judge.settings import JudgeTable, chosen_metrics
from engine.settings.fields import Variant, about
from engine.settings.reader import check_ranges
from store.errors import InputError
from store.messages import choices

KIND = "jury"
VERSION = 1
"""Raised whenever the rule by which a jury decides changes."""
_LEAST = 2


class _Table(Struct, forbid_unknown_fields=True):
    members: Annotated[tuple[str, ...], about("two judges or more", "judges")]
    metrics: Annotated[
        tuple[str, ...], about("what it scores; empty: what all members score", "metrics")
    ] = ()
    quorum: Annotated[
        int | None, about("members that have to give a value; empty: more than half")
    ] = None


VARIANTS = (Variant(KIND, "the median of several judges", _Table),)


def juries(tables: Sequence[JudgeTable], known: Mapping[str, JudgeSpec]) -> list[JudgeSpec]:
    """The juries that the tables define, of the judges that are `known`.

    Raises InputError, naming file and field, for fewer than two members, one that is no judge or
    is named twice, one that scores in another variant, a metric that a member does not give, and a
    quorum that cannot be met.
    """
    return [_read(table, known) for table in tables]


def _read(written: JudgeTable, known: Mapping[str, JudgeSpec]) -> JudgeSpec:
    table = written.named(_Table)
    members = [_member(name, written, known) for name in table.members]
    if len(set(table.members)) < max(_LEAST, len(members)):
        raise InputError(
            f"{written.place}.members needs {_LEAST} judges or more, each once.",
            f"Judges are: {', '.join(known)}.",
        )
    shared = [
        metric
        for metric in members[0].metrics
        if all(metric in member.metrics for member in members)
    ]
    if not shared:
        raise InputError(
            f"{written.place}.members share no metric.", "Name judges of the same metrics."
        )
    metrics = chosen_metrics(table.metrics or shared, shared, written.place)
    quorum = len(members) // 2 + 1 if table.quorum is None else table.quorum
    check_ranges(written.place, (("quorum", quorum, 1, len(members)),))
    config = {
        "judge": written.name,
        "kind": KIND,
        "version": VERSION,
        "members": [
            {"judge": member.name, "kind": member.kind, "hash": member.hash} for member in members
        ],
        "metrics": list(metrics),
        "quorum": quorum,
    }
    asked = tuple(replace(member, metrics=metrics, repeats=1) for member in members)
    return JudgeSpec(written.name, KIND, metrics, config, members=asked)


def _member(name: str, written: JudgeTable, known: Mapping[str, JudgeSpec]) -> JudgeSpec:
    if name not in known:
        raise InputError(
            f"{written.place}.members names {name!r}, which is no judge that could be a member.",
            choices(name, known, "Judges"),
        )
    variant = known[name].config.get("variant", "standard")
    if variant != "standard":
        raise InputError(
            f"{written.place}.members names {name!r}, which scores in variant {variant}.",
            "A jury compares values of variant standard.",
        )
    return known[name]
