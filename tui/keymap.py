"""The registry of all keys of the app."""

from __future__ import annotations

from importlib import import_module

from tui.shell import keys as shell_keys
from tui.shell.actions import Place
from tui.shell.registry import Registry, going

ROOMS = (
    "home",
    "corpus",
    "building",
    "settings",
    "runs",
    "results",
    "correction",
    "label",
    "agreement",
    "calibration",
    "exporting",
    "statistics",
    "guideline",
    "importing",
    "items",
    "upkeep",
)
"""Packages of `tui`, each with its own `keys.py`, in the order of help and palette."""

_KEYS = tuple(import_module(f"tui.{room}.keys") for room in ROOMS)

PLACES: tuple[Place, ...] = tuple(place for keys in _KEYS for place in keys.PLACES)

REGISTRY = Registry(
    (
        *shell_keys.ACTIONS,
        *(action for keys in _KEYS for action in keys.ACTIONS),
        *going(PLACES),
    ),
    PLACES,
)
