"""A small bilingual finance corpus with gold items, shipped as data."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent
"""Folder that holds `documents/` and `items/`."""
