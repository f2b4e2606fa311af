"""Keys that are values at a desk: saved first, then painted, then on to the next."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType

from engine.labelling.forms.keys import value_of_key
from store.labels.forms import Field, Value
from tui.label.desk import JudgementDesk
from tui.label.form_lines import legal_text, next_check
from tui.label.form_panel import FormPanel
from tui.label.key_guard import TOO_EARLY
from tui.label.value_bindings import VALUE_BINDINGS


class ValueDesk(JudgementDesk):
    """Digits and `-` give values, wherever the focus is."""

    BINDINGS: ClassVar[list[BindingType]] = [*VALUE_BINDINGS]

    def said(self, field: Field, value: Value | None) -> bool:
        """After a value has been saved and shown. True: the subclass has opened something, and
        will call `go_on` when that is done."""
        return False

    def on_key(self, event: events.Key) -> None:
        """Every key is time at work."""
        self._clock.tick(event.time)
        self.sight.typed(event.time)
        if self.opened is not None and ord(event.character or " ") > 0x2E80:
            self.flash("an input method is on: digits work with it, letters do not")

    def action_value(self, character: str) -> None:
        """Digits and `-` are values, wherever the focus is."""
        field = self.panel.focus_field
        if self.opened is None or field is None:
            return
        value = value_of_key(field, character)
        if value is None:
            self.flash(legal_text(field, self.lang))
        elif self.sight.is_too_early:
            self.flash(TOO_EARLY)
        else:
            self.give(field, value)

    def on_form_panel_moved(self, message: FormPanel.Moved) -> None:
        """The page keys read on in the subject while the form has the focus."""
        message.stop()
        self.view.move(message.where)

    def flash(self, text: str) -> None:
        """Say in the form's last line why a key did nothing."""
        self.panel.say(text, "bad")

    def action_check(self, key: str) -> None:
        """Turn a check on: it fails, it holds, nothing said."""
        opened = self.opened
        if opened is not None:
            self.give(self.form.field(key), next_check(opened.values.get(key)))

    def give(self, field: Field, value: Value | None) -> None:
        """Save a value (none clears the field), then show it, then go on."""
        waiting = self.waiting
        if waiting is not None and waiting.value is not None and waiting.value[0] != field.key:
            self.flash(f"{waiting.value[0]} is not saved yet: Enter tries again")
            return
        shown = None if value is None else (field.key, value)

        def write() -> None:
            assert self.session is not None
            assert self.session.subject is not None
            spent = self._clock.read_ms()
            if value is None:
                self.session.clear(self.session.subject, field.key)
            else:
                self.session.set(self.session.subject, field.key, value, active_ms=spent)
                self._clock.spend()

        opened = self.opened
        was_done = opened is not None and opened.is_done
        was_over = opened is not None and opened.is_done and not opened.warnings
        if self.attempt(write, lambda: self.give(field, value), shown):
            if self.opened is not None and self.opened.is_done and not was_done:
                self.figures = self.figures.with_one_more()
            self.show_values()
            if not self.said(field, value):
                self.go_on(field, is_revised=was_over)

    def go_on(self, field: Field | None = None, *, is_revised: bool = False) -> None:
        """To the next field, or to the next subject once all is said and nothing contradicts.

        A subject of which all was said before (`is_revised`) is left by Enter where the form has
        several fields: whoever came back to it may want to change another one, too.
        """
        opened = self.opened
        if opened is None:
            return
        stays = is_revised and len(self.panel.fields) > 1
        is_over = opened.is_done and not opened.warnings and not self._is_check(field)
        if is_over and self.advances and not stays:
            self.advance()
        elif field is not None and field.key == self.panel.shown.focus:
            self.panel.step(1)

    def _is_check(self, field: Field | None) -> bool:
        return field is not None and field.key not in {one.key for one in self.panel.fields}

    def show_unsaved(self, value: tuple[str, Value]) -> None:
        # what could not be saved stays in sight below the problem
        self.problem.styles.margin = (0, 0, self.panel.size.height + 1, 0)
        self.panel.show(self.panel.shown._replace(unsaved=value))
        self.panel.say(f"not saved: {value[0]} {value[1]}", "bad")
