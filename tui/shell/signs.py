"""What the signs and shades on the screens mean, for the legend in the help.

Those of a kind of widget stand here, and those that several places share; what only one place has
stands with its keys.
"""

from __future__ import annotations

from typing import NamedTuple

from tui.shell.theme import SIGNS


class Sign(NamedTuple):
    shown: str
    """As it is drawn."""
    meaning: str
    role: str = "key"


OF_PARTS: dict[str, tuple[Sign, ...]] = {
    "rows": (
        Sign(SIGNS.cursor, "The row of the cursor."),
        Sign(SIGNS.cursor_idle, "The row that it is on while another part has the focus."),
    ),
    "heatmap": (
        Sign("[ ]", "The cell of the cursor."),
        Sign("low", "A low value on the scale of the shades.", "heat:0.05"),
        Sign("high", "A high one.", "heat:0.95"),
        Sign("( )", "Too few to build on, with the shade paler.", "pale-heat:0.95"),
        Sign("n/a", "The metric applies to nothing here.", "muted"),
        Sign("-", "Nothing is here.", "muted"),
        Sign(
            f"{SIGNS.more_left} {SIGNS.more_right}",
            "So many more columns are out of view on this side.",
            "muted",
        ),
    ),
    "passage": (
        Sign(SIGNS.cursor, "The line of the mark that n and N have gone to."),
        Sign("#", "Evidence of the item.", "evidence"),
        Sign("=", "What the answer shares with the text.", "answer"),
        Sign("+", "What the golden answer says.", "match"),
        Sign("/", "What was found.", "find"),
    ),
    "sheet": (Sign(SIGNS.cursor, "Before a title: the pane with the focus."),),
    "form": (
        Sign(SIGNS.cursor, "The field that a value is for."),
        Sign(SIGNS.good, "After a value: it is chosen. After a check: it holds.", "good"),
        Sign(SIGNS.bad, "After a check: it fails.", "bad"),
        Sign("!", "After a value: it is not saved yet.", "warn"),
        Sign(";", "After the values: a note on the field."),
    ),
}
"""By the kinds of widget that a place has."""

WORK = (
    Sign(SIGNS.good, "A run or job that is done.", "good"),
    Sign(SIGNS.bad, "One that has failed.", "bad"),
    Sign("!", "One that needs somebody.", "warn"),
)
DIFFERENCES = (
    Sign("[-gone-]", "What is no longer in the text.", "bad"),
    Sign("{+new+}", "What is new in it.", "good"),
)
