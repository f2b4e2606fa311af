"""Commands before labelling: sample, assign, guideline."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from msgspec import to_builtins

from store.formats.faults import read_utf8
from store.messages import plural
from store.workspace import open_workspace
from tui.cli.output import print_json, print_table, rater, say

if TYPE_CHECKING:
    from engine.labelling.drawing import Plan


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
    with open_workspace(arguments.workspace) as workspace:
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


def list_samples(arguments: argparse.Namespace) -> int:
    from engine.labelling.drawing import sources
    from store.labels import samples as label_samples

    with open_workspace(arguments.workspace) as workspace:
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


def close_sample(arguments: argparse.Namespace) -> int:
    from store.labels import samples as label_samples

    with open_workspace(arguments.workspace) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.close(db, label_samples.get(db, arguments.name))
    if arguments.json:
        print_json(sample)
        return 0
    print(f"sample {sample.name} is closed; its labels stay")
    print(f"back: ragdesk sample reopen {sample.name}")
    return 0


def reopen_sample(arguments: argparse.Namespace) -> int:
    from store.labels import samples as label_samples

    with open_workspace(arguments.workspace) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.reopen(db, label_samples.get(db, arguments.name))
    if arguments.json:
        print_json(sample)
    else:
        print(f"sample {sample.name} is open, for {', '.join(sample.raters) or 'anyone'}")
    return 0


def assign(arguments: argparse.Namespace) -> int:
    from store.labels import samples as label_samples

    with open_workspace(arguments.workspace) as workspace, workspace.write(durable=True) as db:
        sample = label_samples.assign(db, label_samples.get(db, arguments.sample), arguments.raters)
    if arguments.json:
        print_json(sample)
    else:
        print(f"sample {sample.name} is for {', '.join(sample.raters) or 'anyone'}")
    return 0


def show_guideline(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import load_form
    from store.labels import guidelines

    form = load_form(arguments.form)
    with open_workspace(arguments.workspace) as workspace:
        found = (
            guidelines.current(workspace.db, form.key)
            if arguments.version is None
            else guidelines.get(workspace.db, form.key, arguments.version)
        )
    if arguments.json:
        print_json(found)
    elif found is None:
        say(f"form {form.key} has no guideline; write one with `ragdesk guideline set`")
    else:
        say(f"version {found.version}, by {found.author}, {found.at}")
        print(found.text.rstrip("\n"))
    return 0


def set_guideline(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import load_form
    from store.labels import guidelines

    form = load_form(arguments.form)
    text = read_utf8(arguments.file)
    with open_workspace(arguments.workspace) as workspace, workspace.write(durable=True) as db:
        made = guidelines.put(db, form.key, text, rater(arguments))
    if arguments.json:
        print_json(made)
    else:
        print(f"guideline of {form.key}: version {made.version}")
    return 0
