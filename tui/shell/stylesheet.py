"""The app's style sheet, which parses each text once.

Textual's own keeps 64 parsed texts, fewer than there are widgets, and parses all of them anew
whenever a screen is opened for the first time, twice.
"""

from __future__ import annotations

from typing import Any, ClassVar

from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation


class ParsedOnce(Stylesheet):
    """A style sheet that keeps the rules of every text for every theme that it was parsed for."""

    _parsed: ClassVar[dict[tuple[Any, ...], list[RuleSet]]] = {}

    def _parse_rules(
        self,
        css: str,
        read_from: CSSLocation,
        is_default_rules: bool = False,
        tie_breaker: int = 0,
        scope: str = "",
    ) -> list[RuleSet]:
        colours = frozenset(self._variables.items())
        key = (css, read_from, is_default_rules, tie_breaker, scope, colours)
        if key not in self._parsed:
            self._parsed[key] = super()._parse_rules(
                css, read_from, is_default_rules, tie_breaker, scope
            )
        return self._parsed[key]

    def reparse(self) -> None:
        """Reads the rules for the variables as they are now, as `parse` does: an error leaves
        those that are in force."""
        self.parse()
