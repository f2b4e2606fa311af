"""Raters who label answers in the app, at terminals, going by what is on the screen."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from label_workspaces import CHOICES
from scripted_rater import saved, wait_to_label
from terminal import Terminal, open_app
from tiny_workspaces import answer_and_score, make_corpus, make_release, make_run, prediction_ids
from tiny_workspaces import question as item

from engine.labelling.drawing.drawing import SampleRequest, draw_sample
from engine.labelling.session import LabelSession
from store.workspace import Workspace, open_workspace

LABEL = "\x1b[18~"
OPEN = "system ***"
"""Stands on the screen with an answer that is to be labelled."""


@contextmanager
def at_label(
    folder: Path, rater: str, wanted: str = OPEN, size: tuple[int, int] = (120, 40)
) -> Iterator[Terminal]:
    """A rater at Label; the app begins with the desk that was open last."""
    state = {"XDG_STATE_HOME": str(folder.parent / "state" / rater)}
    with open_app(
        folder, "--rater", rater, columns=size[0], lines=size[1], environ=state
    ) as terminal:
        text = terminal.wait_for(lambda text: "What next" in text or wanted in text)
        if "What next" in text:
            terminal.press(LABEL)
            terminal.wait_for(wanted)
        yield terminal


WAVERING = {"li": 0.1, "wang": 0.15, "zhao": 0.45}
"""How often a rater says something else than what is so."""
QUESTION = re.compile(r"Rate (\d{3})\?|(\d{3})号利率")


def truth(case: int, field: str) -> str:
    """The key that a rater who never errs would press."""
    return random.Random(f"{case} {field}").choice(CHOICES[field])


def said(rater: str, case: int) -> dict[str, str]:
    """The keys of a rater for a case, by field, whenever the case comes."""
    draw = random.Random(f"{rater} {case}")
    return {
        field: draw.choice(keys) if draw.random() < WAVERING[rater] else truth(case, field)
        for field, keys in CHOICES.items()
    }


def majority(raters: list[str], case: int, field: str) -> str | None:
    """What more than half of them said."""
    key, count = Counter(said(rater, case)[field] for rater in raters).most_common(1)[0]
    return key if 2 * count > len(raters) else None


def settled(raters: list[str], case: int, field: str) -> str:
    """What more than half of them said, or what is ruled: the truth."""
    return majority(raters, case, field) or truth(case, field)


def case_of(text: str) -> int:
    """The case whose question is on the screen; -1 for none."""
    found = QUESTION.search(text)
    return int(found[1] or found[2]) if found else -1


class Session:
    """Answers to questions in two languages, `cases` of them drawn, for raters at terminals."""

    def __init__(self, folder: Path, raters: list[str], cases: int, more: int) -> None:
        self.folder, self.raters, self.cases, self.more = folder, raters, cases, more
        other = cases // 2
        with open_workspace(folder, create=True) as workspace:
            with workspace.write() as db:
                contents = {
                    f"q{at:03}": item(
                        f"{at:03}号利率？" if at % 2 else f"Rate {at:03}?",
                        topic="funds" if at < other else "rates",
                    )
                    for at in range(cases + more)
                }
                run = make_run(db, make_release(db, make_corpus(db), contents=contents))
                for at, prediction in enumerate(prediction_ids(db, run)):
                    answer_and_score(db, prediction, [], answer=f"It rose to {at}.5 percent.")
            self.draw(workspace, cases - other)

    def draw(self, workspace: Workspace, per_cell: int) -> None:
        wanted = len(self.raters)
        draw_sample(
            workspace,
            SampleRequest("s", "judge_labels", per_cell, runs=("first",), raters_wanted=wanted),
        )

    def label(self, rater: str) -> list[int]:
        """Label all that comes; the cases in their order."""
        order: list[int] = []
        with at_label(self.folder, rater) as terminal:
            while True:
                text = terminal.wait_for(lambda text: _is_another(text, order))
                if case_of(text) < 0:
                    return order
                order.append(case_of(text))
                wait_to_label()
                for key in said(rater, order[-1]).values():
                    give(terminal, key)
                terminal.press("enter")

    def rule(self) -> int:
        """A third person goes through what raters differ on, and says what holds of that which has
        no majority; how many rulings."""
        count, at = 0, 1
        with at_label(self.folder, "zhang", "Nothing of s waits for you") as terminal:
            terminal.press("D")
            while True:
                text = terminal.wait_for(_is_conflict(at))
                if "No conflicts" in text:
                    return count
                terminal.settle(0.05)
                text = terminal.text
                (left,) = map(int, re.findall(rf"conflict {at} of (\d+)", text))
                (name,) = re.findall(r"^ *(\S[\w ]+?)  your ruling:", text, re.MULTILINE)
                case, field = case_of(text), name.replace(" ", "_")
                is_ruled = majority(self.raters, case, field) is None
                if is_ruled:
                    count += 1
                    wait_to_label()
                    terminal.press(truth(case, field))
                    terminal.wait_for(_is_ruled(f"conflict {at} of {left} "))
                if at == left:
                    return count
                if not is_ruled:
                    terminal.press("]")
                    at += 1

    def label_more(self) -> None:
        """Further answers are drawn, and labelled as the first ones were."""
        with open_workspace(self.folder) as workspace:
            self.draw(workspace, self.cases - self.cases // 2 + self.more)
            names = dict(
                workspace.db.execute(
                    "SELECT prediction.id, item_key FROM prediction JOIN revision ON revision.id ="
                    " revision_id JOIN item ON item.id = item_id"
                ).fetchall()
            )
            for rater in self.raters:
                labelling = LabelSession(workspace, "judge_labels", rater)
                while queued := labelling.next():
                    case = int(names[queued.subject.numbers[0]][1:])
                    for field in CHOICES:
                        labelling.set(queued.subject, field, value(truth(case, field)))


def _is_conflict(at: int) -> Callable[[str], bool]:
    return lambda text: f"conflict {at} of" in text or "No conflicts" in text


def _is_ruled(conflict: str) -> Callable[[str], bool]:
    return lambda text: conflict not in text


def _is_another(text: str, order: list[int]) -> bool:
    return "Nothing of s waits for you" in text or case_of(text) not in {-1, *order[-1:]}


def give(terminal: Terminal, key: str) -> None:
    """Press a value, again if the answer was not yet to be labelled; on when it is said to be
    saved."""
    before = saved(terminal.text)
    terminal.press(key)
    text = terminal.wait_for(lambda text: saved(text) > before or "not counted" in text)
    if saved(text) == before:
        wait_to_label()
        give(terminal, key)


def value(key: str) -> int | str:
    return "na" if key == "-" else int(key)
