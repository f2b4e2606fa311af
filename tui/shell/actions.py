"""Actions that a person takes with a key, and the places where they can be taken.

An action says where it applies by scope: a place (`runs`), a kind of widget (`rows`), or
`EVERYWHERE`. What a key means is its action's sense; one key has one sense in the whole app.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual.binding import Binding

from tui.language import tr
from tui.shell.signs import Sign
from tui.shell.terminal import key_name

EVERYWHERE = "everywhere"


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do with a key, or by its name."""

    id: str
    """`scope.verb`, unique; also the id of its key in a person's own key map."""
    keys: tuple[str, ...]
    """Characters (`?`) or Textual's names (`pagedown`); the first is the one shown. What works
    everywhere may have none: the palette finds it."""
    label: str
    """One or two words, for the footer and the palette."""
    help: str
    """One sentence, for the help and the tooltip."""
    english: str
    """Label and help in English, a line each: the palette finds them in either language."""
    scopes: frozenset[str]
    run: str = ""
    """The Textual action to run; by default the verb of the id."""
    sense: str = ""
    """What the key means; by default the verb of the id. Actions of one sense share a key."""
    in_footer: bool = False
    in_palette: bool = True
    is_destructive: bool = False
    works_over_questions: bool = False
    """Whether its key works while a question is open, and whatever has the focus."""

    @property
    def action(self) -> str:
        return self.run or self.verb

    @property
    def meaning(self) -> str:
        return self.sense or self.verb

    @property
    def verb(self) -> str:
        return self.id.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Place:
    """A place of the app: reached with its function key, or `g` and its digit."""

    key: str
    title: str
    number: int
    """1 to 9; 0 for a screen that is reached only through another."""
    parts: tuple[str, ...] = ()
    """The kinds of widget in it whose keys work there: `rows`, `passage`, `heatmap`."""
    values: str = ""
    """What the digits are there, one sentence; empty where the actions say it, or they do nothing.
    """
    signs: tuple[Sign, ...] = ()
    """Those that its widgets do not have everywhere."""


class KeyLabel(NamedTuple):
    """A key of the footer, with one or two words on what it does."""

    shown: str
    label: str
    key: str = ""
    """Textual's name of the key, which a click presses."""


def act(
    id: str,
    keys: str,
    label: str,
    help: str,
    *,
    scopes: Iterable[str] = (),
    run: str = "",
    sense: str = "",
    in_footer: bool = False,
    in_palette: bool = True,
    is_destructive: bool = False,
    works_over_questions: bool = False,
) -> Action:
    """An action with its keys written as words of one string; its scope is that of its id. Label
    and help are given in English."""
    return Action(
        id=id,
        keys=tuple(keys.split()),
        label=tr(label),
        help=tr(help),
        english=f"{label}\n{help}",
        scopes=frozenset(scopes) or frozenset({id.partition(".")[0]}),
        run=run,
        sense=sense,
        in_footer=in_footer,
        in_palette=in_palette,
        is_destructive=is_destructive,
        works_over_questions=works_over_questions,
    )


def asked(function: str, label: str, help: str, keys: str = "") -> Action:
    """An action of every place that asks something over the screen that is shown: `function` is
    `MODULE:ask_NAME`, imported when it is asked, and gets the screen. The palette finds it, with or
    without a key."""
    module, _, name = function.partition(":")
    verb = name.removeprefix("ask_")
    return act(f"{EVERYWHERE}.{verb}", keys, label, help, run=f"app.ask_over('{module}', '{name}')")


def bindings(scope: str, actions: Iterable[Action]) -> list[Binding]:
    """Textual's bindings for the BINDINGS of the screen, widget or app of a scope."""
    return [one for action in actions if scope in action.scopes for one in _bindings_of(action)]


def _bindings_of(action: Action) -> list[Binding]:
    """One Textual binding for each key of an action, all with its id: a person's own key map
    replaces them together. One without a key is bound to what no terminal sends."""
    return [
        Binding(
            key=textual_key(key),
            action=action.action,
            description=action.label,
            show=False,
            tooltip=action.help,
            priority=action.works_over_questions,
            id=action.id,
        )
        for key in action.keys or (action.id,)
    ]


def textual_key(key: str) -> str:
    return key_name(key) if len(key) == 1 else key


def keys_text(keys: Sequence[str]) -> str:
    """Keys as people read them; all ten digits are `0-9`."""
    text = " ".join(map(key_text, keys))
    return text.replace(" ".join("0123456789"), "0-9")


_KEY_TEXT = {
    "escape": "Esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
}


def key_text(key: str) -> str:
    """How a key is written for people; arrows as words, their signs are of ambiguous width."""
    if len(key) == 1 or "+" in key:
        return key
    return _KEY_TEXT.get(key, key.capitalize())
