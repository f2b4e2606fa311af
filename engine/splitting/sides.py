"""Divides members into sides by group, so that similar members stay on one side."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from msgspec import Struct

from engine.text.duplicates import duplicate_pairs
from store.datasets.splits import Placed, Side

TRAIN_TEST = (Side("train", 3), Side("test", 7))
"""Of a dataset."""
TRAIN_VALIDATION_TEST = (Side("train", 5), Side("validation", 1), Side("test", 4))
"""Of a judge's training data."""


class Member(Struct, frozen=True):
    """An item or case to be placed."""

    name: str
    group_key: str
    """Members with an equal key share a group: one dialogue, source document or question. Blank:
    alone, but for near-duplicates."""
    stratum: str
    """Its cell, topic and task; sides are evened out within strata too."""
    text: str
    """The question; members with near-duplicate ones share a group. Blank: not compared."""


class SideCount(Struct, frozen=True):
    """The number of members of a side, beside the number that it should have."""

    side: str
    members: int
    groups: int
    target: float
    """Members by the side's share."""


class Balance(Struct, frozen=True):
    """The number of members of a side that have a value of a field."""

    side: str
    field: str
    value: str
    count: int


def extend(
    members: Sequence[Member], placed: Sequence[Placed], sides: Sequence[Side], seed: int
) -> list[Placed]:
    """Assigns the members that have no side yet, by name; `placed` members keep theirs.

    `members` are all of them, so that newcomers are compared with those that were placed. A
    newcomer joins the group that it belongs to; one that belongs to groups on different sides is
    left out, with the reason. New groups are placed by `Tally.choose`, the largest first, equals
    in the order of a seeded hash.
    """
    by_name = {member.name: member for member in members}
    if len(by_name) < len(members):
        raise ValueError("two members have one name")
    links = _links(members)
    out, rest = _join(by_name, links, placed)
    tally = Tally(sides, [*placed, *out])
    for group in _components(by_name, rest, links, seed):
        side = tally.choose(Counter(by_name[name].stratum for name in group))
        new = [Placed(name, group[0], by_name[name].stratum, side) for name in group]
        tally.add(new)
        out += new
    return sorted(out, key=lambda assignment: assignment.member)


class Tally:
    """Counts of members by side and stratum, which decide the side of the next group."""

    def __init__(self, sides: Sequence[Side], placed: Iterable[Placed]) -> None:
        total = sum(side.share for side in sides)
        self._shares = {side.name: side.share / total for side in sides}
        self._counts: Counter[str] = Counter()
        self._in_strata: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.add(placed)

    def add(self, placed: Iterable[Placed]) -> None:
        for assignment in placed:
            if assignment.side is not None:
                self._counts[assignment.side] += 1
                self._in_strata[assignment.stratum][assignment.side] += 1

    def choose(self, strata: Mapping[str, int]) -> str:
        """The side of a new group with the given number of members in each stratum.

        A side's deficit is its share of all members, the new ones included, less what it has. Among
        the sides whose deficit is within the group's size of the largest, it is the one with the
        largest deficit in the group's strata; then that with the larger deficit overall; then the
        first. So the sides keep their shares overall, to within two groups of the largest size,
        and in every stratum as nearly as that allows.
        """
        size = sum(strata.values())
        overall = self._deficits(self._counts, size)
        least = max(overall.values()) - size - 1e-9
        deficits = dict.fromkeys(self._shares, 0.0)
        for stratum, count in strata.items():
            for side, deficit in self._deficits(self._in_strata[stratum], count).items():
                deficits[side] += deficit * count / size
        near = [side for side in self._shares if overall[side] >= least]
        return max(near, key=lambda side: (round(deficits[side], 9), round(overall[side], 9)))

    def _deficits(self, counts: Counter[str], more: int) -> dict[str, float]:
        total = sum(counts.values()) + more
        return {side: share * total - counts[side] for side, share in self._shares.items()}


def counts(placed: Iterable[Placed], sides: Sequence[Side]) -> list[SideCount]:
    """The number of members that each side holds and should hold."""
    kept = [assignment for assignment in placed if assignment.side is not None]
    total = sum(side.share for side in sides)
    return [
        SideCount(
            side.name,
            sum(assignment.side == side.name for assignment in kept),
            len({assignment.group for assignment in kept if assignment.side == side.name}),
            len(kept) * side.share / total,
        )
        for side in sides
    ]


def balance(placed: Iterable[Placed], labels: Mapping[str, Mapping[str, object]]) -> list[Balance]:
    """The distribution of labels over the sides: `labels` holds each member's value by field."""
    counted = Counter(
        (assignment.side, field, str(value))
        for assignment in placed
        if assignment.side is not None
        for field, value in labels.get(assignment.member, {}).items()
    )
    return [Balance(*key, count) for key, count in sorted(counted.items())]


def _links(members: Sequence[Member]) -> dict[str, list[str]]:
    """Near-duplicates of each member, by name."""
    compared = [member for member in members if member.text.strip()]
    links: defaultdict[str, list[str]] = defaultdict(list)
    for i, j in duplicate_pairs([member.text for member in compared]):
        links[compared[i].name].append(compared[j].name)
        links[compared[j].name].append(compared[i].name)
    return links


def _join(
    by_name: Mapping[str, Member], links: Mapping[str, list[str]], placed: Sequence[Placed]
) -> tuple[list[Placed], list[str]]:
    """Newcomers that belong to placed groups, with their place; and the names of all others.

    Goes over the newcomers again as long as one that was placed may lead others to its group.
    """
    homes = {assignment.member: assignment for assignment in placed if assignment.side is not None}
    of_key = {by_name[name].group_key: home for name, home in homes.items() if name in by_name}
    of_key.pop("", None)
    known = {assignment.member for assignment in placed}
    rest = sorted(name for name in by_name if name not in known)
    out: list[Placed] = []
    while True:
        waiting = []
        for name in rest:
            member = by_name[name]
            near = [of_key[member.group_key]] if member.group_key in of_key else []
            near += [homes[other] for other in sorted(links.get(name, ())) if other in homes]
            if not near:
                waiting.append(name)
                continue
            out.append(_place(member, near))
            if out[-1].side is not None:
                homes[name] = out[-1]
                if member.group_key:
                    of_key.setdefault(member.group_key, out[-1])
        if len(waiting) == len(rest):
            return out, waiting
        rest = waiting


def _place(member: Member, near: Sequence[Placed]) -> Placed:
    by_side = {home.side: home for home in reversed(near)}
    if len(by_side) == 1:
        return Placed(member.name, near[0].group, member.stratum, near[0].side)
    joins = ", ".join(
        f"group {home.group} on side {side}" for side, home in sorted(by_side.items(), key=str)
    )
    return Placed(member.name, near[0].group, member.stratum, None, f"belongs to {joins}")


def _components(
    by_name: Mapping[str, Member], names: Sequence[str], links: Mapping[str, list[str]], seed: int
) -> list[list[str]]:
    """New groups, each sorted: names joined by an equal key or near-duplicate texts."""
    roots = {name: name for name in names}

    def root(name: str) -> str:
        while roots[name] != name:
            roots[name] = roots[roots[name]]
            name = roots[name]
        return name

    first_of_key: dict[str, str] = {}
    for name in names:
        key = by_name[name].group_key
        first = first_of_key.setdefault(key, name) if key else name
        for other in (first, *links.get(name, ())):
            if other in roots:
                earlier, later = sorted((root(name), root(other)))
                roots[later] = earlier
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[root(name)].append(name)
    return sorted(groups.values(), key=lambda group: (-len(group), _hash(group[0], seed)))


def _hash(name: str, seed: int) -> bytes:
    return blake2b(f"{seed} {name}".encode(), digest_size=8).digest()
