"""The registry of actions, which keys, footer, help and palette are made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tui.language import tr
from tui.shell.actions import (
    EVERYWHERE,
    Action,
    KeyLabel,
    Place,
    act,
    key_text,
    keys_text,
    textual_key,
)
from tui.shell.signs import OF_PARTS

NOT_IN_FOOTER = ("value", "help")
"""Values stand in the form that has them; the key for help ends every footer."""


class KeyHelp(NamedTuple):
    keys: str
    label: str
    help: str
    role: str = "key"
    """How the keys are drawn."""


FOCUS = KeyHelp("Tab", tr("next part"), tr("To the next list, field or pane; Shift+Tab goes back."))
"""Textual's own key, in every place."""


class Section(NamedTuple):
    title: str
    lines: tuple[KeyHelp, ...]


class Registry:
    """The actions and places of one app, and everything that is generated from them."""

    def __init__(self, actions: Iterable[Action], places: Iterable[Place]) -> None:
        """The titles of the places, and what the digits are there, are given in English."""
        self.actions = tuple(actions)
        self.places = tuple(
            replace(place, title=tr(place.title), values=tr(place.values)) for place in places
        )

    @property
    def numbered(self) -> tuple[Place, ...]:
        """The places that have a number, in the order of their numbers."""
        return _numbered(self.places)

    def place(self, key: str) -> Place:
        """The place with this key; KeyError if there is none."""
        for place in self.places:
            if place.key == key:
                return place
        raise KeyError(key)

    def scoped(self, scope: str) -> tuple[Action, ...]:
        """The actions of one scope, in the order of their definition."""
        return tuple(action for action in self.actions if scope in action.scopes)

    def key(self, id: str) -> str:
        """The first key of an action, as people read it."""
        (action,) = (one for one in self.actions if one.id == id)
        return key_text(action.keys[0])

    def at(self, place: str) -> tuple[Action, ...]:
        """Returns all actions of a place: its own, those of its widgets, the common ones."""
        scopes = (place, *self.place(place).parts, EVERYWHERE)
        return tuple(dict.fromkeys(action for scope in scopes for action in self.scoped(scope)))

    def footer(self, place: str, first: Sequence[str] = ()) -> tuple[Action, ...]:
        """The actions that a place's footer has room for, the most useful first: those with the
        ids `first`, or Enter and those marked so; then the rest, without values and movement."""
        order = {id: number for number, id in enumerate(first)}

        def rank(action: Action) -> tuple[int, int]:
            if action.id in order:
                return 0, order[action.id]
            is_marked = action.in_footer and not first
            return (1, action.keys[0] != "enter") if is_marked else (2, 0)

        def has_room(action: Action) -> bool:
            is_other = action.meaning in NOT_IN_FOOTER or action.id.startswith("move.")
            return bool(action.keys) and not is_other

        return tuple(sorted(filter(has_room, self.at(place)), key=rank))

    def joint(self, scope: str, verbs: Sequence[str], label: str) -> KeyLabel:
        """The first keys of some actions of a scope together; a click presses the last one."""
        keys = {action.verb: action.keys[0] for action in self.scoped(scope)}
        shown = " ".join(key_text(keys[verb]) for verb in verbs)
        return KeyLabel(shown, tr(label), textual_key(keys[verbs[-1]]))

    def help(self, place: str) -> list[Section]:
        """Every key that works in a place, by where it comes from, and after its own keys what its
        signs mean."""
        here = self.place(place)
        parts = [action for part in here.parts for action in self.scoped(part)]
        going = [action for action in self.scoped(EVERYWHERE) if action.id.startswith("go.")]
        common = [action for action in self.scoped(EVERYWHERE) if action not in going]
        sections = (
            (here.title, self.scoped(place)),
            (tr("Moving"), tuple(dict.fromkeys(parts))),
            (tr("Everywhere"), tuple(action for action in common if action.keys)),
            (tr("Everywhere, by name on ctrl+p"), tuple(one for one in common if not one.keys)),
            (tr("Places"), tuple(going)),
        )
        added = {
            here.title: [KeyHelp("0-9 -", tr("value"), here.values)] if here.values else [],
            tr("Moving"): [FOCUS],
        }
        keys = [
            Section(title, (*added.get(title, ()), *map(_key_help, actions)))
            for title, actions in sections
            if actions
        ]
        return [*keys[:1], *self._legend(here), *keys[1:]]

    def _legend(self, place: Place) -> Iterator[Section]:
        signs = (*place.signs, *(sign for part in place.parts for sign in OF_PARTS.get(part, ())))
        if signs:
            lines = (KeyHelp(tr(one.shown), "", tr(one.meaning), one.role) for one in signs)
            yield Section(tr("Signs"), tuple(lines))

    def commands(self, place: str) -> tuple[Action, ...]:
        """The actions that the palette offers in a place."""
        return tuple(action for action in self.at(place) if action.in_palette)

    def elsewhere(self, place: str) -> Iterator[tuple[Place, Action]]:
        """The actions of the other places that have a number, for the palette; without what the app
        does here as well."""
        here = {action.action for action in self.at(place) if action.action.startswith("app.")}
        for other in self.numbered:
            for action in self.scoped(other.key):
                if action.in_palette and place not in action.scopes and action.action not in here:
                    yield other, action

    def textual_keymap(self, changed: Iterable[str]) -> dict[str, str]:
        """For Textual's `set_keymap`: the keys that the changed actions have here."""
        by_id = {action.id: action for action in self.actions}
        return {id: ",".join(map(textual_key, by_id[id].keys)) for id in changed}

    def with_keys(self, keys: Mapping[str, str]) -> Registry:
        """The same registry with a person's own keys: action id to keys, separated by spaces."""
        changed = (
            replace(action, keys=tuple(keys[action.id].split())) if action.id in keys else action
            for action in self.actions
        )
        return Registry(changed, self.places)


def going(places: Iterable[Place]) -> Iterator[Action]:
    """The actions that go to the places that have a number, by their function keys."""
    for place in _numbered(places):
        yield act(
            f"go.{place.key}",
            f"f{place.number}",
            place.title,
            tr("Go to {kind}.", kind=place.title),
            scopes=(EVERYWHERE,),
            run=f"app.go('{place.key}')",
            works_over_questions=True,
        )


def _numbered(places: Iterable[Place]) -> tuple[Place, ...]:
    return tuple(sorted((place for place in places if place.number), key=lambda one: one.number))


def _key_help(action: Action) -> KeyHelp:
    return KeyHelp(keys_text(action.keys), action.label, action.help)
