"""The export of the matrix or comparison on the screen to a file."""

from __future__ import annotations

import re

from engine.results.comparison import RunComparison
from engine.results.matrix import RunMatrix
from tui.language import tr
from tui.screens.host import Host
from tui.screens.write_file import EXPORTS, Format, WriteFile, ask_export

MATRIX_FORMATS = {
    "markdown": Format(".md", tr("a table for a page or an issue")),
    "csv": Format(".csv", tr("one line for each cell, with every figure")),
    "latex": Format(".tex", tr("a table in the style of booktabs, for a paper")),
    "svg": Format(".svg", tr("the heat map as a picture")),
    "html": Format(".html", tr("one page that needs nothing else")),
}
"""By the name that the renderers have for it."""

_UNSAFE = re.compile(r"[^\w.@-]+")


def file_stem(view: RunMatrix) -> str:
    """A file's name for a matrix: its run, metric and axes, without signs that a shell minds."""
    metric, axes = view.metric, (view.matrix.rows.name, view.matrix.cols.name)
    variant = () if metric.variant == "standard" else (metric.variant,)
    by = () if axes == ("topic", "task") else axes
    return _UNSAFE.sub("-", "-".join([view.run.name, metric.name, *variant, *by]))


COMPARISON_FORMATS = {
    "markdown": Format(".md", tr("the verdict and a table, for a page or an issue")),
    "csv": Format(".csv", tr("one line for each cell, with every figure")),
    "json": Format(".json", tr("all figures, for a program")),
    "text": Format(".txt", tr("as the command prints it")),
}


def comparison_stem(view: RunComparison) -> str:
    """The same for a comparison."""
    parts = [view.a.name, "vs", view.b.name, view.metric.name]
    return _UNSAFE.sub("-", "-".join(parts))


def open_export(host: Host, view: RunMatrix | RunComparison) -> None:
    """Ask, then write the matrix or comparison that is shown in a thread, and say where it is."""

    def text(kind: str) -> str:
        # imported in the thread that needs it: few sessions export anything
        if isinstance(view, RunComparison):
            from engine.report.comparison import render as render_comparison

            return render_comparison(view, kind)
        from engine.report.run_matrix import render

        return render(view, kind)

    is_matrix = isinstance(view, RunMatrix)
    ask_export(
        host,
        WriteFile(
            host.folder.resolve() / EXPORTS,
            file_stem(view) if isinstance(view, RunMatrix) else comparison_stem(view),
            what=tr("the matrix") if is_matrix else tr("the comparison"),
            formats=MATRIX_FORMATS if is_matrix else COMPARISON_FORMATS,
        ),
        text,
    )
