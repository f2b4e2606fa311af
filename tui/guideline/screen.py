"""Writing the next version of a form's guideline."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from textual.timer import Timer
from textual.widget import Widget

from engine.labelling.forms import shipped_forms, usable_forms
from store.errors import RagdeskError
from store.labels import guidelines
from store.labels.guidelines import Guideline
from store.workspace import Workspace
from tui.guideline.draft import Draft
from tui.guideline.keys import ACTIONS
from tui.guideline.review import Decision, Review
from tui.language import tr
from tui.screens.choose import Choose
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.screens.workspace import has_workspace
from tui.shell.actions import EVERYWHERE, KeyLabel
from tui.shell.hangup import before_hangup
from tui.widgets.editor import Editor
from tui.widgets.field_lines import Field
from tui.widgets.heading import SectionLine
from tui.widgets.row_source import Cell, Column, Row

PAUSE = 1.0
"""Seconds without a key after which the draft is kept."""


def ask_guideline(screen: PlaceScreen) -> None:
    """Asks of which form, then opens its guideline to be written."""
    host = screen.host
    if not has_workspace(host):
        return
    # steps of authoring have guidelines too, though no sample is drawn for them
    forms = dict.fromkeys((*shipped_forms(), *(host.read(usable_forms) or ())))
    rows = [Row(form, (Cell(form, "strong"), _version(host, form))) for form in forms]
    host.question(
        Choose(tr("Guideline of which form?"), (Column(minimum=20), Column("", 40, drop=1)), rows),
        lambda form: host.push_screen(GuidelineScreen(form)),
    )


def _version(host: Host, form: str) -> Cell:
    held = host.read(lambda db: guidelines.current(db, form))
    return Cell(_said_of(held) if held is not None else tr("none yet"), "muted")


def _said_of(held: Guideline) -> str:
    return tr(
        "version {version}, by {author}, {at}",
        version=held.version,
        author=held.author,
        at=held.at[:10],
    )


class GuidelineScreen(PlaceScreen, actions=ACTIONS):
    """Esc shows what differs from the version in force, and saves it from there."""

    PLACE = "guideline"

    FOOTER_START = (KeyLabel(tr("Esc"), "review", "escape"),)

    def __init__(self, form: str) -> None:
        super().__init__()
        self._form = form
        self.heading = SectionLine(tr("Guideline"))
        self.editor = Editor()
        self._held: Guideline | None = None
        """The version in force when the screen was opened."""
        self._draft = Draft(self.host.folder, form, self.host.rater)
        self._timer: Timer | None = None
        self._forget_hook: Callable[[], None] = _nothing

    def compose_body(self) -> Iterator[Widget]:
        yield self.heading
        yield self.editor

    def on_mount(self) -> None:
        super().on_mount()
        self._held = self.host.read(lambda db: guidelines.current(db, self._form))
        draft = self._draft.read()
        text = self._in_force if draft is None else draft
        self.editor.show([Field("text", "", text)], cursor=0)
        self.editor.edited = self._edited
        self.editor.commanded = self._command
        self.editor.focus()
        said = _said_of(self._held) if self._held is not None else tr("none yet")
        kept = tr("your draft; in force is ") if draft is not None else ""
        self.heading.show(tr("Guideline of {form}", form=self._form), f"{kept}{said}")
        self._forget_hook = before_hangup(lambda: self._draft.keep(self.text))

    def on_unmount(self) -> None:
        self._forget_hook()

    def context(self) -> tuple[str, ...]:
        return (self._form, self.host.facts.folder.name)

    def command(self) -> Sequence[str]:
        return ("guideline", "show", "--form", self._form)

    @property
    def text(self) -> str:
        return self.editor.fields[0].text

    @property
    def _in_force(self) -> str:
        return self._held.text if self._held is not None else ""

    # Typing

    def _edited(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PAUSE, self._keep)

    def _keep(self) -> None:
        """Keeps what is typed, also where the app is killed."""
        try:
            self._draft.keep(self.text)
        except (OSError, RagdeskError) as error:
            self.host.show_problem("The draft cannot be kept: {error}", error=error)

    def _command(self, key: str) -> bool:
        """Does what a control key means, before what is typed after it."""
        registry = self.host.registry
        back = next(action for action in registry.scoped(EVERYWHERE) if action.verb == "back")
        if key in back.keys and not self.problem.text:
            return self.step_back()
        for action in registry.scoped(self.PLACE):
            if key in action.keys:
                getattr(self, f"action_{action.verb}")()
                return True
        return False

    def action_undo(self) -> None:
        self.editor.undo()

    def action_redo(self) -> None:
        self.editor.redo()

    def action_own_editor(self) -> None:
        """Hands the terminal to the person's own editor until that ends."""
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if not command:
            self.host.advise("Neither $VISUAL nor $EDITOR names an editor.")
            return
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{self._form}.md"
            file.write_text(self.text, "utf-8")
            try:
                with self.app.suspend():
                    ended = subprocess.run([*shlex.split(command), str(file)], check=False)
                written = file.read_text("utf-8")
            except (OSError, ValueError) as error:
                self.host.show_problem(
                    "{command} cannot be used: {error}.", command=command, error=error
                )
                return
        self.app.simulate_key("ctrl+l")
        if ended.returncode:
            self.host.show_problem(
                "{command} ended with {returncode}; its text is left out.",
                command=command,
                returncode=ended.returncode,
            )
        elif written != self.text:
            self.editor.change([Field("text", "", written)], 0, 0)

    # Leaving

    def step_back(self) -> bool:
        """Reviews what was changed; nothing to review, nothing is asked."""
        if self.text == self._in_force:
            self._leave()
            return True
        version = self._held.version + 1 if self._held is not None else 1
        self.app.push_screen(Review(self._in_force, self.text, version), self._decided)
        return True

    def _decided(self, decision: Decision | None) -> None:
        if decision == "discard":
            self._leave()
        elif decision == "save":
            form, text, rater = self._form, self.text, self.host.rater

            def save(workspace: Workspace) -> Guideline:
                with workspace.write(durable=True) as db:
                    return guidelines.put(db, form, text, rater)

            self.host.in_thread(tr("saving the guideline"), save, self._saved)

    def _saved(self, made: Guideline) -> None:
        self._leave()
        self.host.advise(
            "Guideline of {form_key}: version {version} holds from now on.",
            form_key=made.form_key,
            version=made.version,
        )

    def _leave(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._draft.drop()
        self.dismiss()


def _nothing() -> None:
    pass
