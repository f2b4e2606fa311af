"""The command palette, with the actions of the place that it was opened in."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, runtime_checkable

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.fuzzy import Matcher

from tui.language import tr
from tui.shell.actions import Action, Place, key_text
from tui.shell.registry import Registry

SAID = 1.3
"""The score, a letter, of an action that is found by its sentence. Textual gives one more than that
for letters of a name that stand together, and less for letters apart."""
ELSEWHERE = 0.9
"""What an action of another place counts of one that can be done here."""


@runtime_checkable
class HasActions(Protocol):
    """What the app offers to the palette."""

    registry: Registry
    place: str
    """Key of the place that is shown."""


class Palette(CommandPalette):
    """Textual's, but for a page key before the list is laid out, which would end the app; and
    without its lines, icon and bars, which are of ambiguous width."""

    DEFAULT_CSS = """
    Palette > Vertical { margin-top: 2; }
    Palette #--input { border: none; height: 2; padding: 0 1; }
    Palette #--input.--list-visible { border: none; }
    Palette #--input SearchIcon { display: none; }
    Palette #--results { border: none; }
    Palette CommandList, Palette CommandList:focus {
        border: none; padding: 0 2; scrollbar-size: 0 0; max-height: 75vh;
    }
    Palette LoadingIndicator { display: none; }
    """

    def __init__(self) -> None:
        super().__init__(placeholder=tr("a command by its name"), id="--command-palette")

    def _action_command_list(self, action: str) -> None:
        with suppress(KeyError):  # no line is known yet, so there is no page to move by
            super()._action_command_list(action)


class ActionCommands(Provider):
    """For the app's COMMANDS. Runs an action on the screen that the palette was opened on."""

    async def discover(self) -> Hits:
        for action in self._actions():
            yield DiscoveryHit(_name(action), self._runs(action), help=action.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for score, action in ranked(matcher, self._actions()):
            name = _name(action)
            yield Hit(score, matcher.highlight(name), self._runs(action), help=action.help)
        places = {action.id: place for place, action in self._elsewhere()}
        for score, action in ranked(matcher, (action for _, action in self._elsewhere())):
            place = places[action.id]
            name = tr(
                "{label}  (on {place}, {key})",
                label=action.label,
                place=place.title,
                key=key_text(action.keys[0]),
            )
            goes = partial(self.app.run_action, f"app.go_for('{place.key}', '{action.id}')")
            yield Hit(ELSEWHERE * score, matcher.highlight(name), goes, help=action.help)

    def _actions(self) -> Iterable[Action]:
        app = self.app
        return app.registry.commands(app.place) if isinstance(app, HasActions) else ()

    def _elsewhere(self) -> Iterable[tuple[Place, Action]]:
        app = self.app
        return app.registry.elsewhere(app.place) if isinstance(app, HasActions) else ()

    def _runs(self, action: Action) -> partial[Coroutine[Any, Any, bool]]:
        return partial(self.app.run_action, action.action, self.screen)


def _name(action: Action) -> str:
    return f"{action.label}  ({key_text(action.keys[0])})" if action.keys else action.label


def ranked(matcher: Matcher, actions: Iterable[Action]) -> list[tuple[float, Action]]:
    """The actions that a person may mean, the likeliest first, with their scores.

    One is meant by letters of its name; or by words that each begin a word of its name or sentence,
    in English or, anywhere in them, in Chinese: which goes before letters here and there, and
    behind letters that stand together.
    """
    scored = [(_score(matcher, action), action) for action in actions]
    return sorted((one for one in scored if one[0] > 0), key=lambda one: -one[0])


def _score(matcher: Matcher, action: Action) -> float:
    asked = re.findall(r"\w+", matcher.query.casefold())
    said = f"{action.label} {action.help}".casefold()
    words = re.findall(r"\w+", f"{said} {action.english}".casefold())
    is_said = asked and all(
        any(word.startswith(one) for word in words) or (not one.isascii() and one in said)
        for one in asked
    )
    names = (_name(action), action.english.partition("\n")[0])
    return max(*map(matcher.match, names), SAID * sum(map(len, asked)) if is_said else 0.0)
