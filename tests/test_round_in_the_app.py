"""The whole round at a terminal, by keys alone and in either language: from an empty folder to a
judged heat map and an exported training set."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from math import inf
from pathlib import Path
from string import Formatter
from typing import Any

import pytest
from scripted_server import Request, ScriptedServer, answer
from terminal import KEYS, Terminal, open_app

from store.datasets import datasets
from store.labels.log import reading
from store.labels.samples import samples
from store.messages import plural
from store.records import ItemState, Lang
from store.runs import judge_scores, runs
from store.verify import verify
from store.workspace import open_workspace
from tui.language import LANGUAGES, choice, language, read, tr

NEWS = Path(__file__).parents[2] / "shared/data/zh_crud_news/corpus.jsonl"
DOCUMENTS, CORRECTIONS, LABELS = 200, 10, 20
RATERS = ("ann", "bo")
SENDS = KEYS | {
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f7": "\x1b[18~",
    "f8": "\x1b[19~",
    "f9": "\x1b[20~",
    "clear": "\x15",
    "space": " ",
}
PATIENCE = 60.0
WORK = 300.0
"""Seconds for what a screen does, and for jobs."""
YOURS = "yours {done:,}/{given:,}"
NONE_LEFT_OUT: dict[Lang, str] = {"en": "No turn is left out.", "zh": "没有任何一轮被排除。"}
SAVED = "The {noun} {name} is in ragdesk.toml. P lists it."

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not NEWS.is_file(), reason="the data beside the project are not here"),
]


def judged(request: Request) -> object:
    """A judge's reply, by what it is asked about."""
    asked = json.dumps(request.body, ensure_ascii=False)
    return answer(json.dumps({"reason": "与标准答案一致", "value": sum(map(ord, asked)) % 2}))


def pattern(text: str, given: dict[str, object]) -> str:
    """What a text of the interface looks like in its language, without spaces and wherever its
    lines break; a placeholder that is not given stands for anything."""
    parts: list[str] = []
    for literal, name, form, _ in Formatter().parse(tr(text)):
        parts.append(re.escape("".join(literal.split())))
        if name in given:
            parts.append(re.escape("".join(format(given[name], form or "").split())))
        elif name:
            parts.append(".*?")
    return "".join(parts)


class Person:
    """Somebody at the terminal, who looks before each key."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def sees(self, wanted: str, *, gone: str = "", **given: object) -> str:
        """Waits for a text in the interface's language, wherever its lines break."""
        wanted = pattern(wanted, given)

        def is_there(text: str) -> bool:
            joined = "".join(text.split())
            return bool(re.search(wanted, joined)) and (not gone or tr(gone) not in text)

        return self.terminal.wait_for(is_there, PATIENCE)

    def works(self, *jobs: str) -> None:
        """Waits until jobs are there, and none goes on."""
        going_on = tr("running"), tr("queued")

        def is_done(text: str) -> bool:
            return all(job in text for job in jobs) and not any(one in text for one in going_on)

        self.terminal.wait_for(is_done, WORK)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.terminal.settle(0.2)
            self.terminal.send(SENDS.get(key, key).encode())
        self.terminal.settle(0.2)

    def named(self, phrase: str, help: str) -> None:
        """Does what the palette finds by some words, once it has found it."""
        self.press("ctrl+p")
        self.sees("a command by its name")
        self.press(tr(phrase))
        self.sees(help)
        self.press("enter")

    def through(self, title: str, **given: object) -> None:
        """Goes by Enter from field to field of a question, and begins what it asks for."""
        wanted = pattern(title, given)
        for _ in range(30):
            text = self.terminal.text
            if not re.search(wanted, "".join(text.split())):
                return
            self.press("enter")
            # a second Enter for one that is not dealt with yet would answer what comes next
            self.terminal.wait_for(lambda now, before=text: now != before, PATIENCE)
        raise AssertionError(f"{wanted} stays:\n{self.terminal.text}")

    def writes(self, *texts: str) -> None:
        """Fills in one empty field after the other; nothing leaves one as it is."""
        for text in texts:
            self.press(*([text] if text else []), "enter")

    def chooses(self, words: str) -> None:
        """Goes down a list to the line with some words, and takes it."""
        self.press("home")
        for _ in range(60):
            lines = self.terminal.text.splitlines()
            if any(words in line and "❯" in line for line in lines):
                self.press("enter")
                return
            self.press("down")
        raise AssertionError(f"no line has {words}:\n{self.terminal.text}")

    def replaces(self, text: str) -> None:
        """Types in the place of what stands in a field."""
        self.press("clear")
        self.terminal.settle(0.5)
        self.press(text)


@contextmanager
def at_terminal(folder: Path, size: tuple[int, int], state: Path) -> Iterator[Person]:
    environ = {"XDG_STATE_HOME": str(state), choice.VARIABLE: language()}
    with open_app(
        folder, "--rater", "lin", columns=size[0], lines=size[1], environ=environ
    ) as terminal:
        yield Person(terminal)
        terminal.press("ctrl+q")
        assert terminal.wait(PATIENCE) == 0


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
@pytest.mark.parametrize("spoken", list(LANGUAGES))
def test_the_round_takes_no_shell(
    tmp_path: Path, size: tuple[int, int], spoken: Lang, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "_chosen", spoken)
    news = tmp_path / "news"
    news.mkdir()
    lines = NEWS.read_text(encoding="utf-8").splitlines(keepends=True)[:DOCUMENTS]
    (news / "corpus.jsonl").write_text("".join(lines), encoding="utf-8")
    folder = tmp_path / "w"
    with (
        ScriptedServer(reply=judged) as server,
        at_terminal(folder, size, tmp_path / "state") as lin,
    ):
        reads_documents(lin, news)
        makes_items(lin)
        corrects(lin)
        releases_and_runs(lin)
        has_them_judged(lin, server.base_url)
        looks_at_results(lin)
        draws_a_sample(lin)
        for rater in RATERS:
            labels(lin, rater)
        settles(lin)
        exports(lin)
        assert server.count > 0
    rows = check(folder)
    if find_spec("trl"):  # the extra `train`
        from tiny_language_models import one_step_with_trl

        assert 0 < one_step_with_trl(rows, tmp_path) < inf


def reads_documents(lin: Person, news: Path) -> None:
    lin.sees("Read your own documents into a corpus")
    lin.press("enter")
    lin.sees("Add documents")
    lin.writes(str(news))
    lin.through("Add documents")
    lin.sees("Corpus {name} has {count:,} documents and no dataset", name="news", count=DOCUMENTS)


def sees_taxonomy(lin: Person, name: str) -> None:
    lin.sees(f"{tr('taxonomy')} {name}")


def makes_items(lin: Person) -> None:
    """Topics, drafts and their inspection."""
    lin.press("enter")
    sees_taxonomy(lin, "omnieval")
    lin.press("*")
    lin.sees("New topics for {corpus}", corpus="news")
    lin.press("enter")
    lin.writes("", "")
    lin.replaces("4")
    lin.through("New topics for {corpus}", corpus="news")
    sees_taxonomy(lin, "news-topics")
    lin.press("C")
    lin.sees("Classify {corpus}", corpus="news")
    lin.through("Classify {corpus}", corpus="news")
    lin.sees(f"{tr('taxonomy')} news-topics", gone="to classify")
    lin.press(*["right"] * 7, *["down"] * 7, "3", "enter")
    lin.sees("{filled:,} of {target:,} items", target=60)
    lin.press("+")
    lin.sees("Generate into {dataset}", dataset="news-drafts")
    lin.through("Generate into {dataset}", dataset="news-drafts")
    lin.press("f1")
    lin.works(f"news-drafts{tr(' by ')}o")  # cut where the list is narrow


def corrects(lin: Person) -> None:
    """Ten items, each by the keyboard."""
    lin.press("f4")
    lin.sees(
        "{others_text}No item waits for you. {full_text}+ draws a sample of drafts, or of items in"
        " other states. What arrives shows here by itself."
    )
    lin.press("+")
    lin.sees("New sample")
    lin.press("check")
    lin.sees("{added:,} would be drawn in {cells}")
    lin.press("up", "enter")
    lin.sees("Sample {name}: {added:,} drawn, {subjects} in all.", name="check")
    lin.press("escape")
    lin.sees(YOURS, done=0)
    for number in range(CORRECTIONS):
        lin.press("3")
        lin.sees(f"{tr('Esc')} {tr('review')}")
        lin.press("end", "?", "escape")
        lin.sees("propose")
        lin.press("enter")
        # beside its key: a document may hold the word too
        lin.sees(YOURS, gone=f"Enter {tr('propose')}", done=number + 1)


def releases_and_runs(lin: Person) -> None:
    lin.press("f1", "@")
    lin.sees("Release {dataset}?", dataset="news-drafts")
    lin.press("y")
    lin.sees(
        "Released {label} with {items}. + on Runs evaluates a system on it.",
        label="news-drafts@1",
    )
    for down in (0, 3):
        lin.press("f5", "+")
        lin.sees("Released dataset")
        lin.press(*["down"] * down)
        lin.through("Released dataset")
        lin.press("escape")
    lin.works("bm25-news-drafts@1", "closed-book-news-drafts@1")


def has_them_judged(lin: Person, address: str) -> None:
    """A provider and a judge by their forms, then both runs by that judge."""
    lin.press("f1")
    lin.named("new provider", "Name a language model behind an endpoint (LLM, API key) by a form.")
    lin.sees("New {noun}", noun=tr("provider"))
    lin.writes("local", address, "tiny")
    lin.press(*["up"] * 4, "enter")
    lin.sees(SAVED, name="local")
    lin.press("escape")
    lin.named("new judge", "Describe a judge of answers by a form: a model, a jury, a function.")
    lin.sees("Which new {noun}?", noun=tr("judge"))
    lin.press("enter")
    lin.sees("max_document_tokens")
    lin.writes("local-judge")
    lin.press("local", "up", "up", "enter")
    lin.sees(SAVED, name="local-judge")
    lin.press("escape", "f5", "'")
    lin.sees("Judge answers")
    lin.press("down", "enter", "space", "down", "space")
    lin.sees("{answers} lack {scores}.")
    lin.through("Judge answers")
    lin.sees("Ask {asked}?", asked="local")
    lin.press("y")
    # cut where the list is narrow
    lin.works(*(f"local-judge{tr(' on ')}{run}" for run in ("bm25", "clo")))


def looks_at_results(lin: Person) -> None:
    """The matrix by the judge, and the comparison of the two runs."""
    lin.press("f6")
    lin.sees(f"{tr('   coverage ')} 100 %")
    lin.press("m")
    lin.sees("judge local-judge")
    lin.chooses("judge local-judge")
    lin.sees("accuracy (judge local-judge)")
    lin.sees(f"{tr('   coverage ')} 100 %")
    lin.press("c")
    lin.sees("Compare with")
    lin.press("enter")
    lin.sees("(A) - ")
    lin.sees(NONE_LEFT_OUT[language()])
    lin.press("escape")


def draws_a_sample(lin: Person) -> None:
    """For two raters, both on each answer; a third person rules."""
    lin.press("f7")
    lin.sees(
        "{first}+ draws a sample of answers. It can even out scores, or choose the answers whose"
        " labels say most, for one rater or several; the form preference takes pairs of two runs."
        " What is drawn shows here by itself."
    )
    lin.press("+")
    lin.sees("New sample")
    lin.press("judged", *["down"] * 3, "down", "accuracy rules", "down", " ".join(RATERS))
    lin.press("down", "lin", "down")
    lin.replaces("2")
    lin.press("down")
    lin.replaces("2")
    lin.sees("{added:,} would be drawn in {cells}")
    lin.press(*["up"] * 9, "enter")
    lin.sees("{text} It is for {value}.", value=", ".join(RATERS))
    lin.press("escape")


def labels(lin: Person, rater: str) -> None:
    """Twenty answers by one rater, who goes on in the same window."""
    lin.named("change rater", "Go on under the name of another rater.")
    lin.sees("Change rater")
    lin.replaces(rater)
    lin.through("Change rater")
    lin.sees("rater {name}", name=rater)
    lin.press("f7")
    lin.sees(YOURS, done=0)
    for number in range(LABELS):
        differs = rater == RATERS[1] and number % 4 == 0
        while tr("below: {parts}", parts="") in lin.terminal.text:
            lin.press("pagedown")  # a value does not count before all of it was on the screen
        lin.press("0" if differs else "1", *"1111", "enter")
        lin.sees(YOURS, done=number + 1)


def settles(lin: Person) -> None:
    """Agreement, then every conflict ruled on by the third person."""
    lin.named("change rater", "Go on under the name of another rater.")
    lin.sees("Change rater")
    lin.replaces("lin")
    lin.through("Change rater")
    lin.sees("rater {name}", name="lin")
    lin.press("f8")
    lin.sees("all pooled")
    lin.press("f1")
    lin.sees("{number} label conflicts", number=LABELS // 4)
    lin.chooses(read(plural(LABELS // 4, "label conflict")))
    lin.sees("conflict {at} of {own}", at=1)
    conflict = pattern("conflict {at} of {own}", {})
    while re.search(conflict, "".join(lin.terminal.text.splitlines()[0].split())):
        lin.press("1")
        lin.terminal.settle(0.8)


def exports(lin: Person) -> None:
    lin.press("f9")
    lin.sees("what it will hold")
    lin.press("tab", "tab", "enter")
    lin.sees("written and checked")


def check(folder: Path) -> list[dict[str, Any]]:
    """What the keys have left, in the workspace and in the files for a trainer; returns the rows of
    these."""
    with open_workspace(folder) as workspace:
        db = workspace.db
        assert verify(db).ok
        states = datasets.state_counts(db, datasets.get(db, "news-drafts"))
        assert states.get(ItemState.CORRECTED, 0) + states.get(ItemState.ACCEPTED, 0) > 0
        names = [run.name for run in runs.listing(db)]
        assert names == ["closed-book-news-drafts@1", "bm25-news-drafts@1"]
        assert "local-judge" in judge_scores.names(db)
        assert {one.name for one in samples.listing(db)} == {"check", "judged"}
        done = Counter((event.kind, event.rater) for event in reading.events(db))
        assert done["set", "ann"] >= LABELS <= done["set", "bo"]
        assert done["accept", "lin"] == CORRECTIONS
        assert done["adjudicate", "lin"] == LABELS // 4
    (export,) = (path for path in (folder / "exports").iterdir() if path.name.startswith("judge"))
    rows = [
        json.loads(line)
        for file in sorted((export / "trl").glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert len(rows) > LABELS
    for row in rows:
        assert {"prompt", "completion"} <= set(row)
        assert row["prompt"][0]["role"] == "system"
        (said,) = row["completion"]
        assert said["role"] == "assistant"
        assert "value" in json.loads(said["content"])
    return rows
