"""The question of what to import, from which files, into what."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from engine.importers.outcome import Outcome
from engine.importers.sources import SOURCES, Import
from tui.language import tr
from tui.screens.choose import Choose, named_rows
from tui.screens.form import Form, Line, Values
from tui.screens.host import Host
from tui.screens.place import PlaceScreen
from tui.screens.sheet import Report, Said, show_report
from tui.screens.workspace import make_workspace
from tui.widgets.row_source import Column


class FieldText(NamedTuple):
    label: str
    hint: str
    is_path: bool = False


FIELDS = {
    "corpus": FieldText(tr("Corpus"), tr("for the documents; made if missing")),
    "dataset": FieldText(tr("Dataset"), tr("for the items; a new name")),
    "taxonomy": FieldText(tr("Taxonomy"), tr("of a new dataset")),
    "run": FieldText(tr("Run"), tr("name of the new run")),
    "system": FieldText(tr("System"), tr("that answered; none: called as the run")),
    "judge": FieldText(tr("Judge"), tr("that gave the scores in the files")),
    "name": FieldText(tr("Name"), tr("what judges call the sets; none: as the dataset")),
    "queries": FieldText(tr("Queries"), tr('lines {"_id", "text"}; Tab completes'), True),
    "qrels": FieldText(
        tr("Judgements"), tr("none: qrels.tsv or qrels/test.tsv of the folder"), True
    ),
    "answers": FieldText(tr("Answers"), tr('none; golden ones, lines {"_id", "answer"}'), True),
    "questions": FieldText(tr("Questions"), tr("none; split_merged.json of the authors"), True),
    "tasks": FieldText(tr("Tasks"), tr("none; of the types of queries, TYPE=TASK, TYPE=TASK")),
    "expansions": FieldText(tr("Expansions"), tr("none; of the queries, NAME=FILE, NAME=FILE")),
}
ANSWERED = tr("a dataset or release that was answered")
SCORED = tr("a run that is there")
KNOWN = tr("a corpus that is there")
OPTIONAL_FILES = ("qrels",)
"""Sources that may do without files of their own."""
PATHS = ("queries", "qrels", "answers", "questions")


def ask_import(screen: PlaceScreen) -> None:
    """Asks what kind of files it is, then from where and into what."""
    host = screen.host
    rows = named_rows((key, tr(source.about)) for key, source in SOURCES.items())
    host.question(
        Choose("Import what?", (Column("", 14), Column(minimum=30)), rows),
        lambda key: _ask_where(host, key),
    )


def _ask_where(host: Host, key: str) -> None:
    source = SOURCES[key]

    def decided(values: Values | None) -> None:
        if values is not None and make_workspace(host):
            host.ask_apart(
                tr("importing {key}", key=key),
                asked_for(host, key, values),
                lambda made: _show(host, key, made),
            )

    host.push_screen(
        Form(
            tr("Import {key}: {about}", key=key, about=source.about),
            [
                Line(
                    "files",
                    "Files",
                    "",
                    tr("{files}; Tab completes", files=source.files),
                    is_path=True,
                ),
                *(_line(host, key, field) for field in (*source.needs, *source.takes)),
            ],
            "Import it",
            note="All of it comes in, or nothing. * in a path stands for any letters.",
            trouble=lambda values: import_trouble(key, values),
        ),
        decided,
    )


def _line(host: Host, key: str, field: str) -> Line:
    """The line for a field, with what the workspace has of its kind."""
    label, hint, is_path = FIELDS[field]
    facts = host.facts
    corpora = [name for name, _ in facts.sources]
    releases = [one.label for fact in facts.datasets for one in reversed(fact.releases)]
    suggestions: list[str] = []
    value = ""
    if field == "corpus":
        suggestions = corpora
        hint = KNOWN if key in ("items", "qrels") else hint
    elif (field == "dataset" and "run" in SOURCES[key].needs) or key == "question-sets":
        suggestions, hint = releases, ANSWERED
        value = next(iter(releases), "") if field == "dataset" else ""
    elif field == "run" and key == "scores":
        suggestions, hint = [one.run.name for one in facts.work if one.run is not None], SCORED
    elif field == "taxonomy" and key != "omnieval":
        value = SOURCES[key].taxonomy
    return Line(field, label, value, hint, suggestions, is_path)


def import_trouble(key: str, values: Values) -> str:
    """Why this cannot be imported; empty when it can be tried."""
    files = named_files(values["files"])
    if not values["files"] and key not in OPTIONAL_FILES:
        return tr("Name the files.")
    if values["files"] and not files:
        return tr("There is no file or folder {files}.", files=values["files"])
    for field in SOURCES[key].needs:
        if not values[field]:
            return tr("{label} is missing.", label=FIELDS[field].label)
    for field in PATHS:
        if values.get(field) and not Path(values[field]).expanduser().is_file():
            return tr(
                "{label}: there is no file {values}.",
                label=FIELDS[field].label,
                values=values[field],
            )
    return ""


def named_files(text: str) -> tuple[str, ...]:
    """The files or folders that a path names, several where it has `*`; sorted."""
    path = Path(text).expanduser()
    if "*" in text:
        below = Path(path.anchor or ".")
        return tuple(sorted(map(str, below.glob(str(path.relative_to(path.anchor))))))
    return (str(path),) if text and path.exists() else ()


def asked_for(host: Host, key: str, values: Values) -> Import:
    """The import that is asked for, of values without trouble."""
    fields: dict[str, Any] = {
        field: str(Path(text).expanduser()) if field in PATHS and text else text
        for field, text in values.items()
        if field != "files"
    }
    for field in {"tasks", "expansions"} & fields.keys():
        fields[field] = tuple(filter(None, (one.strip() for one in fields[field].split(","))))
    return Import(key, named_files(values["files"]), host.rater, **fields)


def _show(host: Host, key: str, made: Outcome) -> None:
    show_report(host, tr("imported {key}", key=key), imported(made))


def imported(made: Outcome) -> Report:
    """What came in, what was not as it should be, and what follows."""
    if made.jobs:
        after = tr("It is scored in the background: F5 shows how far it is, F6 its results.")
    elif made.release:
        after = tr("F5, then + runs a system over {release}.", release=made.release)
    else:
        after = ""
    return (
        *map(Said, made.lines),
        *(Said(f"! {warning}", "warn") for warning in made.warnings),
        *((Said(""), Said(after, "muted")) if after else ()),
    )
