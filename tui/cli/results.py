"""The command `matrix`: a run's scores over topics and tasks."""

from __future__ import annotations

import argparse

from store.workspace import open_workspace
from tui.cli.output import write_result


def matrix(arguments: argparse.Namespace) -> int:
    from engine.results import run_matrix
    from tui.matrix_output import render

    with open_workspace(arguments.workspace) as workspace:
        view = run_matrix(
            workspace.db,
            arguments.run_name,
            arguments.metric,
            variant=arguments.variant,
            judge=arguments.judge,
            rows=arguments.rows,
            cols=arguments.cols,
            lang=arguments.lang,
        )
    kind = "json" if arguments.json else arguments.format
    write_result(render(view, kind), arguments.out)
    return 0
