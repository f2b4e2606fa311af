"""Raters label answers in the app, at real terminals: what `agree`, the rulings and the export make
of it is what was typed; whoever is ended at any moment loses nothing that was shown as saved; and
few bytes a key while an evaluation goes on.

The long proofs are `pytest -m slow -s tests/test_label_session.py`.
"""

from __future__ import annotations

import json
import random
import re
import signal
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from label_sessions import Session, at_label, majority, said, settled, value
from label_workspaces import CHOICES, label_workspace, seeded_labels
from labelling_workspaces import everything_derived
from msgspec.structs import replace
from scripted_rater import NEXT, VALUE, Rater, evaluation, saved, wait_to_label
from sklearn.metrics import cohen_kappa_score
from terminal import changed_bytes

from store.labels.log import reading
from store.verify import verify
from store.workspace import open_workspace
from tui.cli import main

# Ended at any moment


class Ended:
    """A rater who is ended at random moments, again and again, and what had been shown."""

    def __init__(self, folder: Path, how: signal.Signals) -> None:
        self.folder = folder
        self.how = how
        self.draw = random.Random(how)
        self.shown: set[int] = set()
        self.events: list[tuple[int, str, object]] = []

    def sit_down(self) -> None:
        """Label until something is shown as saved, and a moment on; be ended; look what is left."""
        before = len(self.shown)
        with at_label(self.folder, "r1") as terminal:
            deadline, end = time.monotonic() + 300, float("inf")
            while time.monotonic() < end:
                assert time.monotonic() < deadline, terminal.text
                terminal.press(self.draw.choice([*"0120121--fsuU[]", "enter", "enter"]))
                time.sleep(self.draw.uniform(0, 0.12))
                self.note(terminal.text)
                if len(self.shown) > before:
                    end = min(end, time.monotonic() + self.draw.uniform(0, 0.6))
            # what is in flight may be kept or not; what is painted is
            terminal.press(self.draw.choice("01"))
            time.sleep(self.draw.uniform(0, 0.05))
            self.note(terminal.text)
            if self.how is signal.SIGHUP:
                terminal.hang_up()
                terminal.wait()
            else:
                terminal.kill()
        self.check()

    def note(self, text: str) -> None:
        known = self.events[-1][0] if self.events else 0
        if saved(text) > known:
            self.shown.add(saved(text))

    def check(self) -> None:
        with open_workspace(self.folder) as workspace:
            found = list(reading.events(workspace.db, rater="r1"))
        events: list[tuple[int, str, object]]
        events = [(one.seq, str(one.kind), one.value) for one in found]
        assert self.events == events[: len(self.events)], "what had been said is another"
        missing = self.shown - {seq for seq, _, _ in events}
        assert not missing, f"shown as saved, and lost: {missing}"
        self.events = events


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP])
@pytest.mark.parametrize("times", [pytest.param(3), pytest.param(200, marks=pytest.mark.slow)])
def test_no_label_that_was_shown_as_saved_is_lost(
    tmp_path: Path, how: signal.Signals, times: int
) -> None:
    folder = tmp_path / "ws"
    label_workspace(folder, 3 * times + 20, characters=400).close()
    ended = Ended(folder, how)
    for count in range(1, times + 1):
        ended.sit_down()
        if count % 20 == 0 or count == times:
            check_replay(folder)
            print(
                f"{how.name} x {count}: {len(ended.events)} events, {len(ended.shown)} seen as"
                " saved, 0 lost",
                flush=True,
            )
    assert len(ended.shown) >= times


def test_a_kill_right_after_saved_loses_nothing_and_undo_leads_to_the_start(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    with label_workspace(folder, 4) as workspace:
        start = everything_derived(workspace.db)
    for kill, key in enumerate("120", 1):
        with at_label(folder, "r1") as terminal:
            wait_to_label()
            terminal.press(key)
            terminal.wait_for(is_saved(kill))
            terminal.kill()
        check_replay(folder)
        with open_workspace(folder) as workspace:
            assert len(list(reading.events(workspace.db, rater="r1"))) == kill
    with at_label(folder, "r1") as terminal:
        for count in range(3):
            terminal.press("u")
            terminal.wait_for(is_saved(4 + count))
        terminal.press("u")
        terminal.wait_for("nothing to undo")
    with open_workspace(folder) as workspace:
        assert everything_derived(workspace.db) == start


def is_saved(number: int) -> Callable[[str], bool]:
    return lambda text: saved(text) == number


def check_replay(folder: Path) -> None:
    with open_workspace(folder) as workspace:
        report = verify(workspace.db)
        assert report.ok, report


# What is made of what was typed


def same(ours: dict[str, Any], theirs: float) -> bool:
    if ours["value"] is None:
        return bool(ours["reason"]) and bool(np.isnan(theirs))
    return bool(ours["value"] == pytest.approx(float(theirs)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
@pytest.mark.parametrize(
    ("raters", "cases", "more"),
    [
        pytest.param(["li", "zhao"], 12, 5),
        pytest.param(["li", "wang", "zhao"], 127, 50, marks=pytest.mark.slow),
    ],
)
def test_what_was_typed_is_what_agree_and_the_export_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], raters: list[str], cases: int, more: int
) -> None:
    folder = tmp_path / "ws"
    session = Session(folder, raters, cases, more)
    began = time.monotonic()
    orders = [session.label(rater) for rater in raters]
    assert [len(set(order)) for order in orders] == [len(order) for order in orders]
    assert {len(order) for order in orders} == {cases}
    drawn = sorted(orders[0])
    assert all(sorted(order) == drawn for order in orders)
    typed = time.monotonic() - began

    def ragdesk(*line: str) -> str:
        capsys.readouterr()
        assert main([*line, "--workspace", str(folder)]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    figures = compare_agreement(raters, drawn, lambda *line: json.loads(ragdesk(*line)))
    rulings = session.rule()
    undecided = [
        (case, field)
        for case in drawn
        for field in CHOICES
        if majority(raters, case, field) is None
    ]
    assert rulings == len(undecided) > 0
    ragdesk("verify")

    out = [tmp_path / name for name in "abc"]
    for one in out[:2]:
        ragdesk("export", "judge", "--out", str(one))
    assert files(out[0]) == files(out[1])
    ragdesk("verify", "--export", str(out[0]))
    sides = records(out[0])
    rows = [row for side in sides.values() for row in side]
    assert len(rows) == 5 * cases
    assert {(row["id"], row["label"] if row["applicable"] else "na") for row in rows} == {
        (f"first/q{case:03}/0/{field}", value(settled(raters, case, field)))
        for case in drawn
        for field in CHOICES
    }
    assert sum(row["source"] == "adjudicated" for row in rows) == rulings
    sizes = {side: len({row["response_id"] for row in of}) for side, of in sides.items()}
    for side, share in (("train", 0.5), ("validation", 0.1), ("test", 0.4)):
        assert abs(sizes[side] - share * cases) <= 2, sizes
    questions = [{row["group_id"] for row in of} for of in sides.values()]
    assert len(set().union(*questions)) == sum(map(len, questions)) == cases

    session.label_more()
    ragdesk("export", "judge", "--out", str(out[2]))
    before, after = side_by_id(sides), side_by_id(records(out[2]))
    assert len(after) == 5 * (cases + more)
    assert {id: after[id] for id in before} == before
    ragdesk("verify")
    ragdesk("verify", "--export", str(out[2]))
    print(
        f"\n{cases} cases x {len(raters)} raters in {typed:.0f} s; {figures} figures equal;"
        f" {rulings} rulings; {len(rows)} rows, {sizes}; {len(after)} rows with {more} more"
    )


def compare_agreement(raters: list[str], drawn: list[int], ask: Callable[..., Any]) -> int:
    """Every figure of `agree` against the libraries, from the keys alone; how many."""
    count = 0
    form = ("agree", "--form", "judge_labels", "--json")
    by_pair = ask(*form, "--by", "pair")["agreement"]
    together = ask(*form)["agreement"]

    def find(rows: list[Any], field: str, part: str = "value", group: str = "") -> dict[str, Any]:
        keys = (field, part, group)
        (row,) = [one for one in rows if (one["field"], one["part"], one["group"]) == keys]
        return dict(row["statistics"], n=row["n"])

    for field, keys in CHOICES.items():
        numbers = [int(key) for key in keys if key != "-"]
        columns = {rater: [value(said(rater, case)[field]) for case in drawn] for rater in raters}
        for a, b in combinations(raters, 2):
            pairs = list(zip(columns[a], columns[b], strict=True))
            x, y = zip(*[pair for pair in pairs if "na" not in pair], strict=True)
            row = find(by_pair, field, group=f"{a} {b}")
            assert row["n"] == len(x)
            expected = {
                "raw": np.mean(np.equal(x, y)),
                "kappa_plain": cohen_kappa_score(x, y, labels=numbers),
                "kappa_linear": cohen_kappa_score(x, y, labels=numbers, weights="linear"),
                "kappa_quadratic": cohen_kappa_score(x, y, labels=numbers, weights="quadratic"),
            }
            for name, theirs in expected.items():
                assert same(row[name], theirs), (field, a, b, name, row[name], theirs)
            count += len(expected)
            if "-" in keys:
                row = find(by_pair, field, "applicability", f"{a} {b}")
                theirs = cohen_kappa_score(*([one == "na" for one in columns[r]] for r in (a, b)))
                assert row["n"] == len(drawn)
                assert same(row["kappa_plain"], theirs), (field, a, b, row)
                count += 1
        table = np.array(
            [[np.nan if one == "na" else one for one in columns[rater]] for rater in raters], float
        )
        row = find(together, field)
        for level in ("nominal", "ordinal"):
            theirs = krippendorff.alpha(
                table, level_of_measurement=level, value_domain=np.array(numbers, float)
            )
            assert same(row[f"alpha_{level}"], theirs), (field, level, row, theirs)
            count += 1
    for a, b in combinations(raters, 2):
        one, two = ([said(r, case)[field] for case in drawn for field in CHOICES] for r in (a, b))
        row = find(by_pair, "pooled", group=f"{a} {b}")
        assert row["n"] == 5 * len(drawn)
        assert same(row["kappa_plain"], cohen_kappa_score(one, two))
        count += 1
        print(f"\npooled kappa of {a} and {b}: {row['kappa_plain']['value']:.3f}")
    return count


def records(folder: Path) -> dict[str, list[dict[str, Any]]]:
    return {
        side: [json.loads(line) for line in (folder / f"records/{side}.jsonl").open("rb")]
        for side in ("train", "validation", "test")
    }


def side_by_id(sides: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    return {row["id"]: side for side, rows in sides.items() for row in rows}


def files(folder: Path) -> dict[Path, bytes]:
    return {
        file.relative_to(folder): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


# Few bytes a key

WARNING = 40
"""What a warning may take besides its text: where it goes, and in which colour."""


@pytest.mark.parametrize(
    ("size", "cases"),
    [
        ((120, 40), 2),
        pytest.param((80, 24), 60, marks=pytest.mark.slow),
        pytest.param((120, 40), 60, marks=pytest.mark.slow),
    ],
)
def test_few_bytes_a_key_while_an_evaluation_goes_on(
    tmp_path: Path, size: tuple[int, int], cases: int
) -> None:
    folder = tmp_path / "ws"
    label_workspace(folder, cases + 1, characters=4000).close()
    with evaluation(folder) as answered, at_label(folder, "r1", size=size) as terminal:
        terminal.wait_for("yours 0/")
        began, rater = answered(), Rater(terminal)
        for keys in seeded_labels(cases):
            label_measured(rater, keys)
        assert answered() > began, "no evaluation was going on"
    for what in (VALUE, NEXT):
        most = rater.most(what)
        print(f"\n{what}: {len(rater.of(what))} keys, nearest to its budget {most}")
        assert most.excess <= 0, most
    assert len(rater.of(NEXT)) == cases
    check_replay(folder)


def label_measured(rater: Rater, keys: dict[str, str]) -> None:
    """Give the values of a case, and go on to the next."""
    terminal = rater.terminal
    rater.settle()
    for field, key in keys.items():
        lines = terminal.text.split("\n")
        (line,) = (line for line in lines if re.match(rf"[ ❯]+{field.replace('_', ' ')} ", line))
        if "is not asked" in line:
            continue
        before, cells = saved(terminal.text), terminal.cells
        rater.press(VALUE, key)
        assert saved(terminal.text) == before + 1, terminal.text
        text = changed_bytes(cells[-2:-1], terminal.cells[-2:-1])
        if text:
            # a warning that comes or goes is a line of text, and is read
            stroke = rater.strokes[-1]
            rater.strokes[-1] = replace(stroke, written=stroke.written - text - WARNING)
    rater.press(NEXT, "enter")
