"""Backing up the workspace and verifying it, with what came of it."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from engine.judge.light.backup import Backup, back_up, proposed_backup
from store.verify import Verification, verify
from store.workspace import Workspace
from tui.language import tr
from tui.screens.form import Form, Line, Values
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.screens.sheet import Said, show_report
from tui.screens.workspace import has_workspace


class BackupQuery(Struct, frozen=True):
    """A checked copy of the workspace in a file."""

    out: str

    def answer(self, workspace: Workspace) -> Backup:
        """Raises what `back_up` raises."""
        return back_up(workspace.folder, Path(self.out))


class VerifyQuery(Struct, frozen=True):
    def answer(self, workspace: Workspace) -> Verification:
        """The checks of the whole workspace; writes nothing."""
        return verify(workspace.db)


def ask_backup(screen: PlaceScreen) -> None:
    """Asks for the file, then copies the workspace to it."""
    host = screen.host
    if not has_workspace(host):
        return
    proposed = str(proposed_backup(host.folder.resolve()))

    def decided(values: Values) -> None:
        out = str(Path(values["out"]).expanduser())
        host.ask_apart(tr("backing up"), BackupQuery(out), lambda made: _show_backup(host, made))

    host.question(
        Form(
            tr("Back up the workspace"),
            [Line("out", tr("File"), proposed, tr("a new file; Tab completes"), is_path=True)],
            tr("Back up"),
            note=tr("The copy is one file, checked after it is written. Work goes on meanwhile."),
            trouble=lambda values: (
                tr("Name a file.")
                if not values["out"]
                else _taken(Path(values["out"]).expanduser())
            ),
        ),
        decided,
    )


def _taken(out: Path) -> str:
    return tr("{name} exists already; name another file.", name=out.name) if out.exists() else ""


def _show_backup(host: Host, made: Backup) -> None:
    text = tr("Backed up to {file} ({bytes:,} bytes), checked.", file=made.file, bytes=made.bytes)
    host.advise(" ".join((text, *made.notes)))


def ask_verify(screen: PlaceScreen) -> None:
    """Checks the workspace, then shows each check with its result."""
    host = screen.host
    if has_workspace(host):
        host.ask_apart("verifying", VerifyQuery(), lambda checked: _show_checks(host, checked))


def _show_checks(host: Host, checked: Verification) -> None:
    title = tr("the workspace is whole") if checked.ok else tr("the workspace is damaged")
    report = tuple(
        Said(f"{'ok' if one.ok else 'FAILED'}   {one.name}: {one.detail}", "" if one.ok else "bad")
        for one in sorted(checked.checks, key=lambda one: one.ok)
    )
    show_report(host, title, report)
