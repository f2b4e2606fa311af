"""The commands on samples of what is to be labelled: sample draw, list, close, reopen; assign."""

from __future__ import annotations

import argparse
from shlex import quote
from typing import TYPE_CHECKING

from store.messages import plural
from tui.cli.command import Command, Group
from tui.cli.options import add_form, workspace_of
from tui.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from engine.labelling.drawing import Plan


def _draw_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar="SAMPLE", help="name of a new sample, or of one to draw further"
    )
    add_form(parser)
    parser.add_argument("--dataset", default="", metavar="NAME", help="draw items of this dataset")
    parser.add_argument(
        "--states",
        nargs="+",
        default=["drafted"],
        choices=("drafted", "accepted", "discarded", "needs_correction", "corrected"),
        metavar="STATE",
        help="states of the items (default drafted)",
    )
    parser.add_argument(
        "--run",
        nargs="+",
        default=[],
        dest="run_names",
        metavar="RUN",
        help="draw answers of these runs",
    )
    parser.add_argument(
        "--metric",
        default="",
        metavar="M",
        help="balance the sample over the values of this metric",
    )
    parser.add_argument(
        "--judge", default="", metavar="NAME", help="judge of the metric, where several scored it"
    )
    parser.add_argument(
        "--per-cell",
        type=int,
        required=True,
        metavar="N",
        help="number of subjects per topic and task",
    )
    parser.add_argument(
        "--raters-wanted", type=int, default=1, metavar="K", help="raters per subject (default 1)"
    )
    parser.add_argument(
        "--repeats",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="share of subjects that a rater is shown again, hidden (default 0)",
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the draw (default 0)"
    )
    parser.add_argument(
        "--raters", nargs="*", metavar="RATER", help="raters of the sample; none: anyone"
    )
    parser.add_argument("--dry-run", action="store_true", help="only print what would be drawn")


def draw(arguments: argparse.Namespace) -> int:
    from engine.labelling.drawing import SampleRequest, draw_sample, plan_sample
    from store.records import ItemState

    request = SampleRequest(
        name=arguments.name,
        form=arguments.form,
        per_cell=arguments.per_cell,
        dataset=arguments.dataset,
        states=tuple(ItemState(state) for state in arguments.states),
        runs=tuple(arguments.run_names),
        metric=arguments.metric,
        judge=arguments.judge,
        raters_wanted=arguments.raters_wanted,
        repeat_share=arguments.repeats,
        seed=arguments.seed,
        raters=None if arguments.raters is None else tuple(arguments.raters),
    )
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            return _show_plan(plan_sample(workspace, request), arguments)
        drawn = draw_sample(workspace, request)
    if arguments.json:
        print_json(
            {
                "sample": drawn.sample.name,
                "added": drawn.added,
                "subjects": drawn.subjects,
                "short": [
                    {"topic": topic, "task": task, "lacks": lacks}
                    for (topic, task), lacks in drawn.short.items()
                ],
            }
        )
        return 0
    print(
        f"sample {drawn.sample.name}: {drawn.added} drawn,"
        f" {plural(drawn.subjects, 'subject')} in all"
    )
    for (topic, task), lacks in drawn.short.items():
        say(f"cell {topic} x {task} lacks {plural(lacks, 'candidate')}")
    return 0


def _show_plan(plan: Plan, arguments: argparse.Namespace) -> int:
    if arguments.json:
        print_json({"added": plan.added, "repeats": plan.repeats, "cells": plan.cells})
        return 0
    print_table(
        ["topic", "task", "candidates", "held", "added", "lacks"],
        [
            [
                cell.topic,
                cell.task,
                str(cell.candidates),
                str(cell.held),
                str(cell.added),
                str(max(arguments.per_cell - cell.subjects, 0)),
            ]
            for cell in plan.cells
        ],
    )
    print(f"{plan.added} would be drawn, and {plan.repeats} hidden repeats")
    return 0


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also list closed samples")


def list_samples(arguments: argparse.Namespace) -> int:
    from msgspec import to_builtins

    from engine.labelling.drawing import sources
    from store.labels import samples as label_samples

    with workspace_of(arguments) as workspace:
        samples = label_samples.listing(workspace.db, closed=arguments.all)
        sizes = [len(label_samples.taken(workspace.db, sample)) for sample in samples]
    if arguments.json:
        print_json(
            [
                {**to_builtins(sample), "subjects": size}
                for sample, size in zip(samples, sizes, strict=True)
            ]
        )
        return 0
    if not samples:
        say("No sample yet. Draw one: ragdesk sample draw SAMPLE --dataset NAME --per-cell N")
        return 0
    extra = ["closed"] if arguments.all else []
    print_table(
        ["sample", "form", "subjects", *extra, "from", "raters"],
        [
            [
                sample.name,
                sample.form_key,
                str(size),
                *([(sample.closed_at or "")[:10]] if extra else []),
                ", ".join(sources(sample)),
                ", ".join(sample.raters) or "anyone",
            ]
            for sample, size in zip(samples, sizes, strict=True)
        ],
    )
    return 0


def _name_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="SAMPLE", help="a sample that `sample list` lists")


def close_sample(arguments: argparse.Namespace) -> int:
    from store.labels import samples as label_samples

    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.close(db, label_samples.get(db, arguments.name))
    if arguments.json:
        print_json(sample)
        return 0
    print(f"sample {sample.name} is closed; its labels stay")
    print(f"undo: ragdesk sample reopen {quote(sample.name)}")
    return 0


def reopen_sample(arguments: argparse.Namespace) -> int:
    from store.labels import samples as label_samples

    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.reopen(db, label_samples.get(db, arguments.name))
    if arguments.json:
        print_json(sample)
    else:
        print(f"sample {sample.name} is open, for {', '.join(sample.raters) or 'anyone'}")
    return 0


def _assign_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sample", metavar="SAMPLE", help="a sample that `sample list` lists")
    parser.add_argument(
        "raters", nargs="*", metavar="RATER", help="raters of the sample; none: anyone"
    )


def assign(arguments: argparse.Namespace) -> int:
    from store.labels import samples as label_samples

    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.assign(db, label_samples.get(db, arguments.sample), arguments.raters)
    if arguments.json:
        print_json(sample)
    else:
        print(f"sample {sample.name} is for {', '.join(sample.raters) or 'anyone'}")
    return 0


COMMANDS = (
    Group(
        "sample",
        "choose what is to be labelled",
        "draw|list|close|reopen",
        (
            Command(
                "draw",
                "draw a sample, or draw one further; what it holds stays",
                draw,
                _draw_arguments,
                "ragdesk sample draw pilot --dataset mine --per-cell 5 --raters wang li",
            ),
            Command(
                "list",
                "list the samples",
                list_samples,
                _list_arguments,
                "ragdesk sample list --all",
            ),
            Command(
                "close",
                "stop asking raters about a sample; its labels stay",
                close_sample,
                _name_argument,
                "ragdesk sample close pilot",
            ),
            Command(
                "reopen",
                "ask raters about a closed sample again",
                reopen_sample,
                _name_argument,
                "ragdesk sample reopen pilot",
            ),
        ),
    ),
    Command(
        "assign",
        "choose the raters of a sample",
        assign,
        _assign_arguments,
        "ragdesk assign pilot wang li",
    ),
)
