"""Splitting a dataset's items into sides, and the splits that there are."""

from __future__ import annotations

from msgspec import Struct

from store.datasets import splits
from store.datasets.splits import Side
from store.messages import plural
from store.workspace import Workspace
from tui.language import tr
from tui.screens.form import Form, Line, Pick, Values, seed_trouble
from tui.screens.place import PlaceScreen
from tui.screens.sheet import Report, Said, Table, show_report

USUAL = "train=30 test=70"
SHOWN_LEFT_OUT = 20


class SplitQuery(Struct, frozen=True):
    """Give each accepted item of a dataset a side, unless it has one."""

    dataset: str
    name: str
    sides: tuple[Side, ...]
    """Of a new split; empty for those of one that exists."""
    seed: int

    def answer(self, workspace: Workspace) -> Report:
        """What was added, the sizes of the sides, the balance, and what is on none."""
        # imported on use, in the process that computes: it brings what finds near-duplicates
        from engine.splitting.dataset import split_dataset

        report = split_dataset(
            workspace, self.dataset, name=self.name, sides=self.sides or None, seed=self.seed
        )
        names = [side.side for side in report.sides]
        counts = {(row.field, row.value, row.side): row.count for row in report.balance}
        labels = sorted({(row.field, row.value) for row in report.balance})
        balance = [
            (f"{field} {value}", *(f"{counts.get((field, value, side), 0):,}" for side in names))
            for field, value in labels
        ]
        left_out = report.left_out[:SHOWN_LEFT_OUT]
        more = len(report.left_out) - len(left_out)
        return (
            Said(tr("{items} got a side now, for good.", items=plural(report.added, "item"))),
            Table(
                (
                    ("side", "items", "groups", "target"),
                    *(
                        (side.side, f"{side.members:,}", f"{side.groups:,}", f"{side.target:,.1f}")
                        for side in report.sides
                    ),
                )
            ),
            *(
                Said(
                    tr("On no side: {member}: {reason}", member=item.member, reason=item.reason),
                    "warn",
                )
                for item in left_out
            ),
            *((Said(tr("and {more:,} more on no side", more=more), "warn"),) if more else ()),
            *((Table((("label", *names), *balance)),) if balance else ()),
        )


class SplitsQuery(Struct, frozen=True):
    def answer(self, workspace: Workspace) -> Report:
        """Every split of the workspace with its sides and their sizes."""
        rows = []
        for split in splits.listing(workspace.db):
            placed = [member.side for member in splits.members(workspace.db, split)]
            for side in split.sides:
                share = f"{side.share:g}"
                rows.append((split.name, side.name, share, f"{placed.count(side.name):,}"))
            if None in placed:
                rows.append((split.name, tr("on no side"), "", f"{placed.count(None):,}"))
        if not rows:
            return (Said(tr("There is no split yet. A release makes one of its dataset.")),)
        return (Table((("split", "side", "share", "members"), *rows)),)


def ask_split(screen: PlaceScreen) -> None:
    """Asks which dataset and which sides, splits it, and shows the sides."""
    host = screen.host
    if not host.facts.datasets:
        host.advise("There is no dataset to split.")
        return
    existing = {one.name: one for one in host.read(splits.listing) or ()}

    def sides_of(values: Values) -> str:
        held = existing.get(values["name"])
        if held is None:
            return USUAL
        return " ".join(f"{side.name}={side.share:g}" for side in held.sides)

    def trouble(values: Values) -> str:
        if not values["name"]:
            return tr("Name the split.")
        if not _sides(values["sides"]):
            return tr("The sides are names with their shares, such as {usual}.", usual=USUAL)
        if trouble := seed_trouble(values):
            return trouble
        if values["name"] in existing and values["sides"] != sides_of(values):
            return tr("The sides of {name} stay; use another name for others.", name=values["name"])
        return ""

    def decided(values: Values) -> None:
        sides = () if values["name"] in existing else _sides(values["sides"])
        query = SplitQuery(values["dataset"], values["name"], sides, int(values["seed"]))
        title = tr("split {name} of {dataset}", name=values["name"], dataset=values["dataset"])
        host.ask_apart(
            tr("splitting {dataset}", dataset=values["dataset"]),
            query,
            lambda report: show_report(host, title, report),
        )

    names = [
        (fact.dataset.name, plural(len(fact.releases), "release")) for fact in host.facts.datasets
    ]
    host.question(
        Form(
            "Split a dataset",
            [
                Pick("dataset", "Dataset", names, screen.dataset),
                Line(
                    "name",
                    "Split",
                    names[0][0],
                    "of the split",
                    list(existing),
                    follows=lambda values: values["dataset"],
                ),
                Line("sides", "Sides", USUAL, "names with shares", follows=sides_of),
                Line("seed", "Seed", "0", "of the assignment"),
            ],
            "Split it",
            note="Accepted items get a side for good: what is alike stays together. Those that"
            " have one keep it.",
            trouble=trouble,
        ),
        decided,
    )


def ask_splits(screen: PlaceScreen) -> None:
    """Shows the splits of the workspace."""
    host = screen.host
    if host.facts.is_open:
        host.ask_apart(
            "counting the splits",
            SplitsQuery(),
            lambda report: show_report(host, "splits", report),
        )


def _sides(text: str) -> tuple[Side, ...]:
    """The sides that a text names; empty where it names none, or not with their shares."""
    sides = []
    for word in text.replace(",", " ").split():
        name, _, share = word.partition("=")
        try:
            value = float(share)
        except ValueError:
            return ()
        if not name or not 0 < value < 1e9:
            return ()
        sides.append(Side(name, value))
    return tuple(sides) if len({side.name for side in sides}) == len(sides) > 1 else ()
