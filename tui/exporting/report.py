"""The question that writes a page on runs for a browser."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from store.files import write_whole
from store.sharing.modes import make_folder
from store.workspace import Workspace
from tui.language import tr
from tui.screens.form import Form, Line, Pick, Values
from tui.screens.place import PlaceScreen
from tui.screens.write_file import EXPORTS

NO_RUN = tr("There is no run to report on. F5 Runs, then + starts one.")


class ReportQuery(Struct, frozen=True):
    """A page on runs of one dataset, in a file."""

    runs: tuple[str, ...]
    out: str
    passages: bool

    def answer(self, workspace: Workspace) -> int:
        """Writes the page; returns its bytes. Raises what `report_page` and `write_whole` raise."""
        from engine.exporters.report import ReportWanted, report_page

        page = report_page(workspace, ReportWanted(self.runs, passages=self.passages))
        out = Path(self.out)
        make_folder(out.parent)
        write_whole(page, out)
        return len(page.encode())


def ask_report(screen: PlaceScreen) -> None:
    """Asks of which runs, then writes the page in a process of its own."""
    host = screen.host
    runs = [fact for fact in host.facts.work if fact.run is not None]
    if not runs:
        host.advise(NO_RUN)
        return
    releases = {fact.title: fact.release for fact in runs}

    def trouble(values: Values) -> str:
        chosen = values["runs"].splitlines()
        if len({releases[name].partition("@")[0] for name in chosen}) > 1:
            return tr("Choose runs of one dataset.")
        if not values["out"]:
            return tr("Name a file.")
        out = Path(values["out"]).expanduser()
        return (
            tr("{name} exists already; name another file.", name=out.name) if out.exists() else ""
        )

    def decided(values: Values) -> None:
        out = Path(values["out"]).expanduser()
        query = ReportQuery(
            tuple(values["runs"].splitlines()), str(out), values["passages"] == "with"
        )
        host.ask_apart(
            tr("writing {name}", name=out.name),
            query,
            lambda size: host.advise(
                "Wrote {out}, {size:.1f} MB; a browser shows it.", out=out, size=size / 1e6
            ),
        )

    folder = host.folder.resolve() / EXPORTS
    host.question(
        Form(
            tr("Write a report page"),
            [
                Pick(
                    "runs",
                    tr("Runs"),
                    [(fact.title, tr("over {release}", release=fact.release)) for fact in runs],
                    screen.run_name,
                    many=True,
                ),
                Pick(
                    "passages",
                    tr("Texts"),
                    [
                        ("with", tr("what was retrieved too")),
                        ("without", tr("questions and answers")),
                    ],
                ),
                Line(
                    "out", tr("File"), str(folder / "report.html"), tr("a new file"), is_path=True
                ),
            ],
            tr("Write it"),
            note=tr("One file with matrices, comparison and items, which needs no network."),
            trouble=trouble,
        ),
        decided,
    )
