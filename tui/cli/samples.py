"""The commands on samples of what is to be labelled: sample list, show, close; assign."""

from __future__ import annotations

import argparse
from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

from store.errors import NotFound
from store.messages import plural
from tui.cli import drawing
from tui.cli.command import Group, command, option
from tui.cli.options import workspace_of
from tui.cli.output import print_json, print_table, show, show_table
from tui.language import tr

if TYPE_CHECKING:
    from store.labels.samples.quotas import RaterProgress


@command("list", "list the samples", option("--all", "also list closed samples"), example="--all")
def list_samples(arguments: argparse.Namespace) -> int:
    from msgspec import to_builtins

    from engine.labelling.drawing.drawing import sources
    from store.labels.samples import samples as label_samples

    with workspace_of(arguments) as workspace:
        samples = label_samples.listing(workspace.db, closed=arguments.all)
        sizes = [len(label_samples.taken(workspace.db, sample)) for sample in samples]
    extra = ["closed"] if arguments.all else []
    return show_table(
        arguments,
        [
            {**to_builtins(sample), "subjects": size}
            for sample, size in zip(samples, sizes, strict=True)
        ],
        ["sample", "form", "subjects", *extra, "from", "raters"],
        [
            [
                sample.name,
                sample.form_key,
                str(size),
                *([(sample.closed_at or "")[:10]] if extra else []),
                ", ".join(sources(sample)),
                ", ".join(sample.raters) or tr("anyone"),
            ]
            for sample, size in zip(samples, sizes, strict=True)
        ],
        empty=tr("No sample yet. Draw one: ragdesk sample draw SAMPLE --dataset NAME --per-cell N"),
    )


_NAME_ARGUMENT = (option("SAMPLE", "a sample that `sample list` lists", dest="name"),)


@command(
    "show",
    "print a sample: its people, and how many subjects have how many labels",
    *_NAME_ARGUMENT,
    example="pilot",
)
def show_sample(arguments: argparse.Namespace) -> int:
    """Prints a sample with the number of subjects that have no label, one label, and so on."""
    from msgspec import to_builtins

    from engine.calibration.stopping import label_goal
    from engine.labelling.drawing.drawing import sources
    from engine.report.calibration import goal_text
    from store.labels.samples import draws
    from store.labels.samples import quotas as label_quotas
    from store.labels.samples import samples as label_samples

    with workspace_of(arguments) as workspace:
        sample = label_samples.get(workspace.db, arguments.name)
        counts = label_samples.label_counts(workspace.db, sample)
        made = draws.of_sample(workspace.db, sample)
        frames = [len(draws.chances(workspace.db, draw)) for draw in made]
        raters = label_quotas.progress(workspace.db, sample=sample)
        goal = None
        with suppress(NotFound):  # of a run or a judge that is gone
            goal = label_goal(workspace.db, sample.name)
    if arguments.json:
        whole = {**to_builtins(sample), "subjects_by_labels": counts, "draws": made, "goal": goal}
        print_json({**whole, "progress": raters})
        return 0
    wanted = sample.settings.get("raters_wanted", 1)
    rows = [
        [tr("form"), sample.form_key],
        [tr("from"), ", ".join(sources(sample))],
        [tr("raters"), ", ".join(sample.raters) or tr("anyone")],
        [
            tr("adjudicators"),
            ", ".join(sample.adjudicators) or tr("anyone who has not labelled it"),
        ],
        [tr("aids before labels"), tr("yes") if sample.aids else tr("no")],
        [
            tr("subjects"),
            tr(
                "{subjects:,}, {raters} wanted for each",
                subjects=sum(counts.values()),
                raters=plural(wanted, "rater"),
            ),
        ],
        *(
            [f"  {tr('with {labels}', labels=plural(labels, 'label'))}", f"{count:,}"]
            for labels, count in counts.items()
        ),
        *([f"  {tr('done by {rater}', rater=one.rater)}", _done_text(one)] for one in raters),
        *(
            [
                tr("draw {number}", number=draw.number),
                tr(
                    "{wanted:,} of {frame:,}, seed {seed}",
                    wanted=draw.wanted,
                    frame=frame,
                    seed=draw.seed,
                ),
            ]
            for draw, frame in zip(made, frames, strict=True)
        ),
        *([[goal.choose, f"{goal.metric}, {goal.judge}: {goal_text(goal)}"]] if goal else []),
        *([[tr("closed"), sample.closed_at]] if sample.closed_at else []),
    ]
    print_table(["sample", sample.name], rows)
    return 0


def _done_text(one: RaterProgress) -> str:
    done = f"{one.done:,}"
    if one.most is not None:
        done = tr("{done:,} of {most:,}", done=one.done, most=one.most)
    if one.last_at:
        done += f", {tr('last {at}', at=one.last_at[:16].replace('T', ' '))}"
    return done


@command(
    "adjudicators",
    "choose who rules on the conflicts in a sample",
    *_NAME_ARGUMENT,
    option(
        "[NAME...]",
        "adjudicators; none: anyone who has not labelled the subject",
        dest="adjudicators",
    ),
    example="pilot chen",
)
def set_adjudicators(arguments: argparse.Namespace) -> int:
    from store.labels.samples import samples as label_samples

    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.get(db, arguments.name)
        sample = label_samples.set_adjudicators(db, sample, arguments.adjudicators)
    who = ", ".join(sample.adjudicators) or tr("whoever has not labelled the subject")
    return show(
        arguments, sample, tr("conflicts in sample {name} are for {who}", name=sample.name, who=who)
    )


@command(
    "close", "stop asking raters about a sample; its labels stay", *_NAME_ARGUMENT, example="pilot"
)
def close_sample(arguments: argparse.Namespace) -> int:
    from store.labels.samples import samples as label_samples

    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.close(db, label_samples.get(db, arguments.name))
    return show(
        arguments,
        sample,
        tr("sample {name} is closed; its labels stay", name=sample.name),
        tr("undo: ragdesk sample reopen {sample}", sample=quote(sample.name)),
    )


@command("reopen", "ask raters about a closed sample again", *_NAME_ARGUMENT, example="pilot")
def reopen_sample(arguments: argparse.Namespace) -> int:
    from store.labels.samples import samples as label_samples

    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.reopen(db, label_samples.get(db, arguments.name))
    raters = ", ".join(sample.raters) or tr("anyone")
    return show(
        arguments,
        sample,
        tr("sample {name} is open, for {raters}", name=sample.name, raters=raters),
    )


@command(
    "assign",
    "choose the raters of a sample",
    option("SAMPLE", "a sample that `sample list` lists"),
    option(
        "[RATER...]",
        "raters of the sample, none for anyone; NAME=N is given N subjects at most",
        dest="raters",
    ),
    example="pilot wang li",
)
def assign(arguments: argparse.Namespace) -> int:
    from msgspec import to_builtins

    from store.labels.samples import quotas as label_quotas
    from store.labels.samples import samples as label_samples

    given = [_with_quota(text) for text in arguments.raters]
    quotas = {name: most for name, most in given if most is not None}
    with workspace_of(arguments) as workspace, workspace.write(durable=True) as db:
        names = [name for name, _ in given]
        sample = label_samples.assign(db, label_samples.get(db, arguments.sample), names)
        label_quotas.put(db, sample, quotas)
    raters = ", ".join(
        tr("{name} (at most {most:,})", name=name, most=quotas[name]) if name in quotas else name
        for name in sample.raters
    )
    value = {**to_builtins(sample), "quotas": quotas}
    return show(
        arguments,
        value,
        tr("sample {name} is for {raters}", name=sample.name, raters=raters or tr("anyone")),
    )


def _with_quota(text: str) -> tuple[str, int | None]:
    """Splits NAME=N; a name without a number has no quota."""
    name, mark, number = text.rpartition("=")
    return (name, int(number)) if mark and number.isascii() and number.isdigit() else (text, None)


COMMANDS = (
    Group(
        "sample",
        "choose what is to be labelled",
        "draw|plan|list|show|adjudicators|close|reopen",
        (
            *drawing.COMMANDS,
            list_samples,
            show_sample,
            set_adjudicators,
            close_sample,
            reopen_sample,
        ),
    ),
    assign,
)
