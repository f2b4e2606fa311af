"""The registry of all keys of the app."""

from __future__ import annotations

import tui.agreement.keys
import tui.building.keys
import tui.calibration.keys
import tui.corpus.keys
import tui.correction.keys
import tui.exporting.keys
import tui.home.keys
import tui.label.keys
import tui.providers.keys
import tui.results.keys
import tui.runs.keys
import tui.statistics.keys
from tui.shell import keys as shell_keys
from tui.shell.actions import Place
from tui.shell.registry import Registry, going

_OF_PLACES = (
    tui.home.keys,
    tui.corpus.keys,
    tui.building.keys,
    tui.providers.keys,
    tui.runs.keys,
    tui.results.keys,
    tui.correction.keys,
    tui.label.keys,
    tui.agreement.keys,
    tui.calibration.keys,
    tui.exporting.keys,
    tui.statistics.keys,
)

PLACES: tuple[Place, ...] = tuple(place for keys in _OF_PLACES for place in keys.PLACES)

REGISTRY = Registry(
    (
        *shell_keys.ACTIONS,
        *(action for keys in _OF_PLACES for action in keys.ACTIONS),
        *going(PLACES),
    ),
    PLACES,
)
