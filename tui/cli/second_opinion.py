"""What `verify --metrics` does: a sample of a run is scored again by other people's libraries."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from store.messages import plural
from tui.cli.options import workspace_of
from tui.cli.output import print_json, print_line, print_table, print_text
from tui.language import read, tr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.second_opinion.opinions import LibraryOpinion


def verify_metrics(arguments: argparse.Namespace) -> int:
    """Runs `verify --metrics RUN`; returns 0 when all that can be compared is equal, else 1, also
    where nothing can be."""
    from engine.jobs.start import start
    from engine.second_opinion.opinions import TOLERANCE
    from engine.second_opinion.verify_job import SAMPLE, VerifyMetrics, stored_opinions
    from store.runs import results, runs
    from tui.cli.follow import EXIT_DONE, follow

    with workspace_of(arguments) as workspace:
        size = SAMPLE if arguments.sample is None else arguments.sample
        seed = arguments.seed or 0
        asked = VerifyMetrics(of_run=arguments.metrics, sample=size, seed=seed)
        job = start(workspace, asked)
        code = follow(workspace, [job.id])
        if code != EXIT_DONE:
            return code
        run = runs.get(workspace.db, arguments.metrics)
        opinions = stored_opinions(workspace.db, job.id)
        valued = [key.label for key in results.valued_metrics(workspace.db, run.id)]
    compared = {one.name for opinion in opinions for one in opinion.metrics}
    alone = [name for name in valued if name not in compared]
    values = sum(opinion.values for opinion in opinions)
    different = sum(opinion.different for opinion in opinions)
    if arguments.json:
        print_json(
            {
                "run": run.name,
                "sample": size,
                "seed": seed,
                "tolerance": TOLERANCE,
                "values": values,
                "different": different,
                "libraries": opinions,
                "without_library": alone,
            }
        )
    else:
        _show(opinions, alone)
        if not values:
            print_line("nothing could be compared")
        elif different:
            print_line(
                "DIFFERENT by more than {tolerance:g}: {different:,} of {values:,} values",
                tolerance=TOLERANCE,
                different=different,
                values=values,
            )
        else:
            print_line(
                "equal within {tolerance:g}: {values}",
                tolerance=TOLERANCE,
                values=plural(values, "value"),
            )
    return 0 if values and not different else 1


def _show(opinions: Sequence[LibraryOpinion], alone: Sequence[str]) -> None:
    rows = [
        [
            f"{opinion.library} {opinion.version}",
            one.name,
            f"{one.values:,}",
            f"{one.different:,}",
            f"{one.largest:.1e}" if one.largest else "0",
            tr(
                "{place}: {ours:.6g}, there {theirs:.6g}",
                place=one.place,
                ours=one.ours,
                theirs=one.theirs,
            )
            if one.largest
            else "",
        ]
        for opinion in opinions
        for one in opinion.metrics
    ]
    if rows:
        print_table(
            ("library", "metric", "values", "different", "largest difference", "where"),
            rows,
            keys=2,
        )
        print()
    for opinion in opinions:
        if opinion.problem:
            print_text(f"{opinion.library}: {read(opinion.problem)}")
        for reason, count in opinion.left_out.items():
            print_text(
                tr(
                    "{library}: {values} not compared: {reason}",
                    library=opinion.library,
                    values=plural(count, "value"),
                    reason=reason,
                )
            )
    if alone:
        print_text(tr("given by no library here: {alone}", alone=", ".join(alone)))
