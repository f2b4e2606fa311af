"""The command palette, with the actions of the place that it was opened in."""

from __future__ import annotations

from collections.abc import Coroutine, Iterable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, runtime_checkable

from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider

from tui.shell.actions import Action, key_text
from tui.shell.registry import Registry


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
        super().__init__(placeholder="a command by its name", id="--command-palette")

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
        for action in self._actions():
            name = _name(action)
            score = matcher.match(name)
            if score > 0:
                yield Hit(score, matcher.highlight(name), self._runs(action), help=action.help)

    def _actions(self) -> Iterable[Action]:
        app = self.app
        return app.registry.commands(app.place) if isinstance(app, HasActions) else ()

    def _runs(self, action: Action) -> partial[Coroutine[Any, Any, bool]]:
        return partial(self.app.run_action, action.action, self.screen)


def _name(action: Action) -> str:
    return f"{action.label}  ({key_text(action.keys[0])})"
