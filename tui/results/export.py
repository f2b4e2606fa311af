"""The export of the matrix on the screen to a file."""

from __future__ import annotations

import re

from engine.results.matrix import RunMatrix
from tui.screens.host import Host
from tui.screens.write_file import EXPORTS, Format, WriteFile, ask_export

MATRIX_FORMATS = {
    "markdown": Format(".md", "a table for a page or an issue"),
    "csv": Format(".csv", "one line for each cell, with every figure"),
    "latex": Format(".tex", "a table in the style of booktabs, for a paper"),
    "svg": Format(".svg", "the heat map as a picture"),
    "html": Format(".html", "one page that needs nothing else"),
}
"""By the name that the renderers have for it."""

_UNSAFE = re.compile(r"[^\w.@-]+")


def file_stem(view: RunMatrix) -> str:
    """A file's name for a matrix: its run, metric and axes, without signs that a shell minds."""
    metric, axes = view.metric, (view.matrix.rows.name, view.matrix.cols.name)
    variant = () if metric.variant == "standard" else (metric.variant,)
    by = () if axes == ("topic", "task") else axes
    return _UNSAFE.sub("-", "-".join([view.run.name, metric.name, *variant, *by]))


def open_export(host: Host, view: RunMatrix) -> None:
    """Ask, then write the matrix that is shown in a thread, and say where it is."""

    def text(kind: str) -> str:
        # imported in the thread that needs it: few sessions export anything
        from engine.report.run_matrix import render

        return render(view, kind)

    ask_export(
        host,
        WriteFile(
            host.folder.resolve() / EXPORTS,
            file_stem(view),
            what="the matrix",
            formats=MATRIX_FORMATS,
        ),
        text,
    )
