"""The one registry of actions: keys, footer, help and palette are all read from it.

An action says where it applies by scope: a place (`runs`), a kind of widget (`rows`), or
`EVERYWHERE`. What a key means is its action's sense; one key has one sense in the whole app.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from textual.app import App
from textual.binding import Binding
from textual.events import Event, Key
from textual.widget import Widget
from textual.widgets import Input, TextArea

from tui.shell.terminal import key_name, normalise_key

EVERYWHERE = "everywhere"
FOOTER_LIMIT = 6


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do with a key."""

    id: str
    """`scope.verb`, unique; also the id of its key in a person's own key map."""
    keys: tuple[str, ...]
    """Characters (`?`) or Textual's names (`pagedown`); the first is the one shown."""
    label: str
    """One or two words, for the footer and the palette."""
    help: str
    """One sentence, for the help and the tooltip."""
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


class KeyHelp(NamedTuple):
    keys: str
    label: str
    help: str


FOCUS = KeyHelp("Tab", "next part", "To the next list, field or pane; Shift+Tab goes back.")
"""Textual's own key, in every place."""


class Section(NamedTuple):
    title: str
    lines: tuple[KeyHelp, ...]


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
    """An action with its keys written as words of one string; its scope is that of its id."""
    return Action(
        id=id,
        keys=tuple(keys.split()),
        label=label,
        help=help,
        scopes=frozenset(scopes) or frozenset({id.partition(".")[0]}),
        run=run,
        sense=sense,
        in_footer=in_footer,
        in_palette=in_palette,
        is_destructive=is_destructive,
        works_over_questions=works_over_questions,
    )


_UNSENDABLE = ("ctrl+enter", "shift+enter", "alt+", "super+", "hyper+", "meta+", "shift+f")
_RESERVED = {
    "ctrl+c": "the terminal",
    "ctrl+z": "the shell",
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+h": "backspace",
    "ctrl+b": "tmux",
    "tab": "the focus",
    "shift+tab": "the focus",
    **{str(digit): "values" for digit in range(10)},
}
_SAFE_KEYS = frozenset({"enter", "space", "backspace"})


class Registry:
    """The actions and places of one app, and everything that is generated from them."""

    def __init__(self, actions: Iterable[Action], places: Iterable[Place]) -> None:
        self.places = tuple(places)
        going = (
            act(
                f"go.{place.key}",
                f"f{place.number}",
                place.title,
                f"Go to {place.title}.",
                scopes=(EVERYWHERE,),
                run=f"app.go('{place.key}')",
                works_over_questions=True,
            )
            for place in self.numbered
        )
        self.actions = (*actions, *going)

    @property
    def numbered(self) -> tuple[Place, ...]:
        """The places that can be gone to, by their numbers."""
        found = (place for place in self.places if place.number)
        return tuple(sorted(found, key=lambda place: place.number))

    def place(self, key: str) -> Place:
        """The place with this key; KeyError if there is none."""
        for place in self.places:
            if place.key == key:
                return place
        raise KeyError(key)

    def scoped(self, scope: str) -> tuple[Action, ...]:
        """The actions of one scope, in the order of their definition."""
        return tuple(action for action in self.actions if scope in action.scopes)

    def at(self, place: str) -> tuple[Action, ...]:
        """All actions that work in a place: its own, those of its widgets, the common ones."""
        scopes = (place, *self.place(place).parts, EVERYWHERE)
        return tuple(dict.fromkeys(action for scope in scopes for action in self.scoped(scope)))

    def bindings(self, scope: str) -> list[Binding]:
        """Textual's bindings for the BINDINGS of the screen, widget or app of a scope."""
        return [binding for action in self.scoped(scope) for binding in bindings_of(action)]

    def footer(self, place: str, ids: Sequence[str] = ()) -> list[tuple[str, str]]:
        """(key, label) of the actions to show in a place's footer: Enter, then the first ones;
        or those with the `ids` that work there."""
        shown = [
            action for action in self.at(place) if (action.id in ids if ids else action.in_footer)
        ]
        if ids:
            shown.sort(key=lambda action: ids.index(action.id))
            return [(key_text(action.keys[0]), action.label) for action in shown]
        shown.sort(key=lambda action: action.keys[0] != "enter")
        return [(key_text(action.keys[0]), action.label) for action in shown[:FOOTER_LIMIT]]

    def help(self, place: str) -> list[Section]:
        """Every key that works in a place, by where it comes from."""
        here = self.place(place)
        parts = [action for part in here.parts for action in self.scoped(part)]
        going = [action for action in self.scoped(EVERYWHERE) if action.id.startswith("go.")]
        common = [action for action in self.scoped(EVERYWHERE) if action not in going]
        sections = (
            (here.title, self.scoped(place)),
            ("Moving", tuple(dict.fromkeys(parts))),
            ("Everywhere", tuple(common)),
            ("Places", tuple(going)),
        )
        added = {
            here.title: [KeyHelp("0-9 -", "value", here.values)] if here.values else [],
            "Moving": [FOCUS],
        }
        return [
            Section(title, (*added.get(title, ()), *map(_key_help, actions)))
            for title, actions in sections
            if actions
        ]

    def commands(self, place: str) -> tuple[Action, ...]:
        """The actions that the palette offers in a place."""
        return tuple(action for action in self.at(place) if action.in_palette)

    def textual_keymap(self, changed: Iterable[str]) -> dict[str, str]:
        """For Textual's `set_keymap`: the keys that the changed actions have here."""
        by_id = {action.id: action for action in self.actions}
        return {id: ",".join(map(_textual_key, by_id[id].keys)) for id in changed}

    def with_keys(self, keys: Mapping[str, str]) -> Registry:
        """The same registry with a person's own keys: action id to keys, separated by spaces."""
        changed = (
            replace(action, keys=tuple(keys[action.id].split())) if action.id in keys else action
            for action in self.actions
        )
        registry = Registry((), self.places)
        registry.actions = tuple(changed)
        return registry


def clashes(registry: Registry) -> list[str]:
    """What is wrong with the keys of a registry, one sentence each; empty when all is well."""
    return [
        *_repeated(registry),
        *_two_meanings(registry),
        *(problem for action in registry.actions for problem in _bad_keys(action)),
        *_long_footers(registry),
    ]


def _repeated(registry: Registry) -> Iterable[str]:
    for name, values in (
        ("action id", [action.id for action in registry.actions]),
        ("place", [place.key for place in registry.places]),
        ("place number", [place.number for place in registry.numbered]),
    ):
        for value in dict.fromkeys(values):
            if values.count(value) > 1:  # type: ignore[arg-type]
                yield f"{name} {value} is used twice"


def _two_meanings(registry: Registry) -> Iterable[str]:
    meanings: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for action in registry.actions:
        for key in action.keys:
            meanings[key][action.meaning].append(action.id)
    for key, senses in meanings.items():
        if len(senses) > 1:
            ids = ", ".join(ids[0] for ids in senses.values())
            yield f"key {key} has more than one meaning: {ids}"


def _bad_keys(action: Action) -> Iterable[str]:
    if not action.keys:
        yield f"{action.id} has no key"
    for key in action.keys:
        if key in _RESERVED and action.meaning != "value":
            yield f"{action.id}: key {key} belongs to {_RESERVED[key]}"
        if key.startswith(_UNSENDABLE):
            yield f"{action.id}: many terminals cannot send {key}"
        if key in _SAFE_KEYS and action.is_destructive:
            yield f"{action.id}: nothing destructive may be on {key}"


def _long_footers(registry: Registry) -> Iterable[str]:
    for place in registry.places:
        count = sum(action.in_footer for action in registry.at(place.key))
        if count > FOOTER_LIMIT:
            yield f"{place.key}: {count} actions in the footer, at most {FOOTER_LIMIT} are shown"


def bindings_of(action: Action) -> list[Binding]:
    """One Textual binding for each key of an action, all with its id: a person's own key map
    replaces them together."""
    return [
        Binding(
            key=_textual_key(key),
            action=action.action,
            description=action.label,
            show=False,
            tooltip=action.help,
            priority=action.works_over_questions,
            id=action.id,
        )
        for key in action.keys
    ]


def _textual_key(key: str) -> str:
    return key_name(key) if len(key) == 1 else key


def _key_help(action: Action) -> KeyHelp:
    return KeyHelp(keys_text(action.keys), action.label, action.help)


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


def normalised(event: Event, app: App[Any]) -> Event:
    """The event, or the key that was meant by it, unless a text field has the focus.

    For the app's `on_event`: `await super().on_event(normalised(event, self))`.
    """
    if not isinstance(event, Key) or event.is_forwarded or is_typing(app.focused):
        return event
    key, character = normalise_key(event.key, event.character)
    return event if key == event.key else Key(key, character)


def is_typing(focused: Widget | None) -> bool:
    """Whether keys are text now, because a text field has the focus."""
    return isinstance(focused, Input | TextArea) or getattr(focused, "takes_text", False)
