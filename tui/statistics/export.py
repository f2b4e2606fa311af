"""Writing the statistics that are shown to a file."""

from __future__ import annotations

import re

from engine.labelling.work_records import WorkReport
from engine.report.work import render
from tui.screens.host import Host
from tui.screens.write_file import EXPORTS, Format, WriteFile, ask_export

WORK_FORMATS = {
    "markdown": Format(".md", "a table for a page or an issue"),
    "csv": Format(".csv", "a line a group, with every figure"),
    "text": Format(".txt", "as the command prints it"),
}
_UNSAFE = re.compile(r"[^\w.@-]+")


def open_export(host: Host, report: WorkReport) -> None:
    """Ask for format and path, then write."""
    stem = _UNSAFE.sub("-", f"statistics-{report.form}-{report.by}")
    question = WriteFile(
        host.folder.resolve() / EXPORTS, stem, what="the statistics", formats=WORK_FORMATS
    )
    ask_export(host, question, lambda kind: render(report, kind))
