"""The form of one provider: its endpoint, prices and limits."""

from __future__ import annotations

from pathlib import Path

import msgspec
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.widgets import Input

from engine.models.keys import looks_like_key
from engine.models.settings import Limits, Prices, Provider
from engine.models.settings_file import put_provider
from engine.settings import SETTINGS_FILE
from engine.text.wrapping import wrap
from store.errors import InputError, RagdeskError
from tui.screens.form import FieldsScreen
from tui.widgets.heading import FieldLine, SectionLine
from tui.widgets.line import TextLines
from tui.widgets.pressed import PressLine

TROUBLE_LINES = 4
FIELDS = (
    ("name", "Name", "how systems call it"),
    ("base_url", "Address", "http://127.0.0.1:8000/v1"),
    ("model", "Model", "as the server calls it"),
    (
        "api_key_env",
        "Key is in",
        "an environment variable's name, such as OPENAI_API_KEY; or empty",
    ),
)
NUMBERS = (
    ("input", "Price in", "none"),
    ("output", "Price out", "none"),
    ("currency", "Currency", "USD"),
    ("per_tokens", "per tokens", "1000000"),
    ("max_in_flight", "At once", "64"),
    ("rpm", "Calls/min", "no limit"),
    ("tpm", "Tokens/min", "no limit"),
)
"""(field, label, what holds where it is left empty)."""


class ProviderForm(FieldsScreen[Provider | None]):
    """Dismisses with the provider as it was stored, or None; a refusal is said in the form."""

    DEFAULT_CSS = """
    ProviderForm SectionLine { width: 14; }
    ProviderForm .title { width: 1fr; margin-bottom: 1; }
    ProviderForm #numbers {
        layout: grid; grid-size: 2; grid-gutter: 0 2; height: 4; margin: 1 0;
    }
    """

    def __init__(self, provider: Provider | None, folder: Path) -> None:
        """Edits `provider`, or makes a new one, in the settings of the workspace in `folder`."""
        super().__init__()
        self._before = provider
        self._folder = folder
        values = _values(provider) if provider is not None else {}
        self.fields = {
            field: Input(values.get(field, ""), placeholder=hint, compact=True)
            for field, _, hint in (*FIELDS, *NUMBERS)
        }
        self.fields["name"].disabled = provider is not None
        self.trouble = TextLines(TROUBLE_LINES)
        self.save = PressLine("Save", "Enter; it is written into ragdesk.toml")

    def compose(self) -> ComposeResult:
        name = self._before.name if self._before is not None else ""
        with Vertical():
            line = SectionLine(
                f"Provider {name}" if name else "New provider", "Enter: next field   Esc: cancel"
            )
            line.add_class("title")
            yield line
            for field, label, _ in FIELDS:
                with FieldLine():
                    yield SectionLine(label)
                    yield self.fields[field]
            with Container(id="numbers"):
                for field, label, _ in NUMBERS:
                    with FieldLine():
                        yield SectionLine(label)
                        yield self.fields[field]
            yield self.trouble
            yield self.save

    def on_mount(self) -> None:
        self.fields["name" if self._before is None else "base_url"].focus()

    def on_input_changed(self, message: Input.Changed) -> None:
        self.trouble.show([])

    def on_input_submitted(self, message: Input.Submitted) -> None:
        self.focus_next()

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        try:
            kept = put_provider(self._folder, self._provider())
        except RagdeskError as error:
            self._refuse(str(error).replace(f"{self._folder / SETTINGS_FILE}: ", ""))
        else:
            self.dismiss(kept)

    def _refuse(self, text: str) -> None:
        """Shows the reason, and clears a key that was typed: keys belong in the environment."""
        with self.prevent(Input.Changed):
            for field in self.fields.values():
                if looks_like_key(field.value):
                    field.value = ""
        lines = wrap(text, max(self.trouble.size.width - 2, 40))[:TROUBLE_LINES]
        self.trouble.show([[(text[start:end], "bad")] for start, end in lines])

    # What is written in the fields

    def _text(self, field: str) -> str:
        return self.fields[field].value.strip()

    def _number(self, field: str) -> float | None:
        text = self._text(field)
        try:
            return float(text) if text else None
        except ValueError:
            raise InputError(f"{_label(field)} is {text!r}.", "Use a number.") from None

    def _count(self, field: str) -> int | None:
        text = self._text(field)
        if text and not text.isdecimal():
            raise InputError(f"{_label(field)} is {text!r}.", "Use a whole number.")
        return int(text) if text else None

    def _provider(self) -> Provider:
        before = self._before or Provider("")
        return msgspec.structs.replace(
            before,
            name=self._text("name"),
            base_url=self._text("base_url"),
            model=self._text("model"),
            api_key_env=self._text("api_key_env"),
            prices=self._prices(),
            limits=self._limits(before.limits),
        )

    def _limits(self, before: Limits) -> Limits:
        limits = msgspec.structs.replace(
            before,
            max_in_flight=self._count("max_in_flight") or Limits().max_in_flight,
            rpm=self._count("rpm"),
            tpm=self._count("tpm"),
        )
        # the very default is left out of the file, an equal one is written as an empty table
        return before if limits == before else limits

    def _prices(self) -> Prices | None:
        given, made = self._number("input"), self._number("output")
        if given is None and made is None:
            return None
        usual = Prices(0, 0)
        return Prices(
            given or 0.0,
            made or 0.0,
            self._text("currency") or usual.currency,
            self._count("per_tokens") or usual.per_tokens,
        )


def _label(field: str) -> str:
    return next(label for name, label, _ in NUMBERS if name == field)


def _values(provider: Provider) -> dict[str, str]:
    """Returns the texts of the fields for an existing provider."""
    values = {field: str(getattr(provider, field)) for field, _, _ in FIELDS}
    limits, prices = provider.limits, provider.prices
    values["max_in_flight"] = str(limits.max_in_flight)
    values |= {
        field: str(value) for field, value in (("rpm", limits.rpm), ("tpm", limits.tpm)) if value
    }
    if prices is not None:
        values |= {
            "input": f"{prices.input:g}",
            "output": f"{prices.output:g}",
            "currency": prices.currency,
            "per_tokens": str(prices.per_tokens),
        }
    return values
