"""What raters agreed to go by, beside what they label."""

from __future__ import annotations

from engine.prompts.languages import by_lang, name_in
from store.labels.forms import Form
from store.labels.guidelines import Guideline
from tui.widgets.line import Piece
from tui.widgets.sheet import Lay, Sheet, wrapped


class GuidelinePane(Sheet):
    """Hidden until it is asked for; beside the subject where there is room, else in its place."""

    DEFAULT_CSS = """
    GuidelinePane { display: none; height: 1fr; background: $surface; }
    """

    def __init__(self) -> None:
        super().__init__(title="guideline", id="guideline")

    def tell(self, guideline: Guideline | None, form: Form, lang: str) -> None:
        """Show a version, with what each field asks below it."""
        title = f"guideline version {guideline.version}" if guideline else "guideline"
        self.show(_lay(guideline.text if guideline else "", form, lang), title=title)


def _lay(text: str, form: Form, lang: str) -> Lay:
    def lay(width: int) -> list[list[Piece]]:
        lines: list[list[Piece]] = []
        if not text:
            lines += wrapped(
                "Nobody has written one yet. In a shell:"
                f" ragdesk guideline set FILE --form {form.key}",
                width,
                "muted",
            )
        for line in text.splitlines():
            is_heading = line.startswith("#")
            shown = line.lstrip("#").strip() if is_heading else line
            lines += wrapped(shown, width, "header" if is_heading else "")
        lines += [[], [(name_in(lang, form), "header")]]
        for field in form.fields:
            help = by_lang(lang, field.help_zh, field.help_en)
            lines += wrapped(f"{name_in(lang, field)}: {help}", width)
        return lines

    return lay
