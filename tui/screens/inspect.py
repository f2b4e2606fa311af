"""Inspect: one item after the other, read beside its evidence, scored and corrected."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from store.forms import Field, Value
from tui.judging.form_lines import checks
from tui.judging.judgement import JudgementScreen
from tui.judging.revision_view import RevisionView
from tui.judging.subject_view import SubjectView
from tui.keymap import REGISTRY


class InspectScreen(JudgementScreen):
    PLACE = "inspect"
    FORM = "inspection"
    VIEW: ClassVar[type[SubjectView]] = RevisionView
    BINDINGS: ClassVar[list[BindingType]] = [
        *REGISTRY.bindings("inspect"),
        Binding("tab,shift+tab", "other_pane", "other pane", show=False),
    ]

    def empty_words(self) -> str:
        names = [fact.dataset.name for fact in self.desk.facts.datasets]
        name = names[0] if names else "NAME"
        return (
            "No item waits for you. Draw a sample of drafted items, so many a cell; in a shell:\n\n"
            f"ragdesk sample draw first --dataset {name} --per-cell 20\n\n"
            "What arrives shows here by itself."
        )

    def said(self, field: Field, value: Value | None) -> bool:
        """A score that calls for a correction opens it."""
        decision = self.form.decision
        if decision is None or field.key != decision.field or value not in decision.correct:
            return False
        self.action_edit()
        return True

    def action_check(self, key: str) -> None:
        self.check(key)

    def action_edit(self) -> None:
        """The correction editor, with the cursor in what the first failing check is about."""

    def _defect(self) -> str | None:
        opened = self.opened
        if opened is None:
            return None
        failing = (one.key for one in checks(self.form) if opened.values.get(one.key) == 0)
        return next(failing, None)
