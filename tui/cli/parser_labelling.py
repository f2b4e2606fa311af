"""The options of the commands for human labels."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.cli.parser import _Commands


def add_labelling(commands: _Commands) -> None:
    """Adds sample, assign, labels, agree, adjudicate and guideline."""
    _sample(commands.group("sample", "choose what is to be labelled", "draw|list|close|reopen"))

    assign = commands.add("assign", "label_samples", "assign", "say who labels a sample")
    assign.add_argument("sample", metavar="SAMPLE", help="as `sample list` names it")
    assign.add_argument("raters", nargs="*", metavar="RATER", help="none: whoever comes")

    _labels(commands.group("labels", "give, take back and read labels", "COMMAND"))

    _agreement(commands)

    guideline = commands.group("guideline", "what raters go by, in versions", "show|set")
    show = guideline.add("show", "label_samples", "show_guideline", "print a form's guideline")
    _form(show)
    show.add_argument("--version", type=int, metavar="N", help="default: the newest")
    put = guideline.add(
        "set", "label_samples", "set_guideline", "write the next version of a guideline"
    )
    put.add_argument("file", type=Path, metavar="FILE", help="text, UTF-8")
    _form(put)


def _form(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--form", default="inspection", metavar="FORM", help="default inspection")


def _sample(sample: _Commands) -> None:
    draw = sample.add(
        "draw", "label_samples", "draw", "draw a sample, or draw one further; what it holds stays"
    )
    draw.add_argument("name", metavar="SAMPLE", help="what to call it, or one that there is")
    _form(draw)
    draw.add_argument("--dataset", default="", metavar="NAME", help="items of this dataset")
    draw.add_argument(
        "--states",
        nargs="+",
        default=["drafted"],
        choices=("drafted", "accepted", "discarded", "needs_correction", "corrected"),
        metavar="STATE",
        help="of the items (default drafted)",
    )
    draw.add_argument(
        "--run", nargs="+", default=[], dest="run_names", metavar="RUN", help="answers of these"
    )
    draw.add_argument("--metric", default="", metavar="M", help="balance over its values")
    draw.add_argument("--judge", default="", metavar="NAME", help="whose scores, if several")
    draw.add_argument(
        "--per-cell", type=int, required=True, metavar="N", help="subjects of a topic and task"
    )
    draw.add_argument(
        "--raters-wanted", type=int, default=1, metavar="K", help="a subject (default 1)"
    )
    draw.add_argument(
        "--repeats",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="shown again, hidden (default 0)",
    )
    draw.add_argument("--seed", type=int, default=0, metavar="N", help="default 0")
    draw.add_argument(
        "--raters", nargs="*", metavar="RATER", help="who labels it; none: whoever comes"
    )
    draw.add_argument("--dry-run", action="store_true", help="only say what would be drawn")
    listing = sample.add("list", "label_samples", "list_samples", "list the samples")
    listing.add_argument("--all", action="store_true", help="also those that are closed")
    for name, help in (
        ("close", "ask nobody about a sample any more; its labels stay"),
        ("reopen", "ask raters about a closed sample again"),
    ):
        command = sample.add(name, "label_samples", f"{name}_sample", help)
        command.add_argument("name", metavar="SAMPLE", help="as `sample list` names it")


def _labels(labels: _Commands) -> None:
    following = labels.add("next", "labelling", "next_subject", "take the next of your queue")
    _form(following)
    following.add_argument("--sample", metavar="SAMPLE", help="of this sample only")
    following.add_argument("--topic", metavar="TOPIC", help="of this topic only")
    following.add_argument("--task", metavar="TASK", help="of this task only")

    put = labels.add("set", "labelling", "set_values", "give values to a subject")
    _form(put)
    put.add_argument("subject", metavar="SUBJECT", help="as `labels next` names it")
    put.add_argument("values", nargs="+", metavar="FIELD=VALUE", help="`-` is not applicable")

    note = labels.add("note", "labelling", "note", "comment, flag, postpone or exclude a subject")
    _form(note)
    note.add_argument("subject", metavar="SUBJECT", help="as `labels next` names it")
    note.add_argument("--comment", metavar="TEXT", help="empty takes it back")
    note.add_argument("--field", default="", metavar="FIELD", help="that the comment is about")
    note.add_argument("--flag", choices=("on", "off"), help="marks it for a second look")
    note.add_argument("--postpone", choices=("on", "off"), help="puts it at the end of your queue")
    note.add_argument("--exclude", metavar="REASON", help="empty takes it back")

    for name, help in (
        ("undo", "take back your latest label, however long ago"),
        ("redo", "bring back what you undid last"),
    ):
        _form(labels.add(name, "labelling", name, help))
    show = labels.add("show", "labelling", "show", "print your labels of a subject")
    _form(show)
    show.add_argument("subject", metavar="SUBJECT", help="as `labels next` names it")
    progress = labels.add("progress", "label_reports", "progress", "count what is done, by cell")
    _form(progress)
    progress.add_argument("--sample", metavar="SAMPLE", help="of this sample only")
    statistics = labels.add(
        "statistics", "label_reports", "statistics", "print acceptance and time an item"
    )
    _form(statistics)
    statistics.add_argument(
        "--by",
        default="",
        metavar="WHAT",
        help="rater, topic, task, cell, or a facet of the items, such as model or prompt",
    )
    statistics.add_argument(
        "--format", choices=("text", "csv", "markdown"), default="text", help="default text"
    )
    statistics.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    events = labels.add(
        "events", "label_reports", "events", "write the log of labels as JSON lines"
    )
    events.add_argument("--form", metavar="FORM", help="default: all")
    events.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    labels.add("forms", "label_reports", "list_forms", "list the forms and their fields")
    _tables(labels)


def _tables(labels: _Commands) -> None:
    bring = labels.add(
        "import", "label_tables", "import_labels", "read labels from a table, .csv or .jsonl"
    )
    bring.add_argument("file", type=Path, metavar="FILE", help="with a row a subject")
    _form(bring)
    bring.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="COLUMN=WHAT",
        help="a field, RATER:FIELD, rater, item, turn, run ...; may be given several times",
    )
    bring.add_argument(
        "--na", default="", metavar="TEXT", help="also means `does not apply`, as - and na do"
    )
    write = labels.add(
        "export", "label_tables", "export_labels", "write labels as a table that imports again"
    )
    _form(write)
    write.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="ends in .csv or .jsonl"
    )


def _agreement(commands: _Commands) -> None:
    agree = commands.add("agree", "agreement", "agree", "say how far raters agree")
    agree.add_argument(
        "--form", default="judge_labels", metavar="FORM", help="default judge_labels"
    )
    agree.add_argument("--sample", metavar="SAMPLE", help="of this sample only")
    agree.add_argument(
        "--raters", nargs="+", default=[], metavar="RATER", help="two or more (default all)"
    )
    agree.add_argument(
        "--by",
        choices=("metric", "cell", "topic", "task", "pair"),
        default="metric",
        help="default metric: over everything",
    )
    agree.add_argument(
        "--statistic",
        choices=(
            "raw",
            "kappa",
            "linear",
            "quadratic",
            "alpha",
            "ordinal",
            "ac1",
            "ac2",
            "spearman",
        ),
        help="this one only, with its interval",
    )
    agree.add_argument("--seed", type=int, default=0, metavar="N", help="of intervals (default 0)")

    adjudicate = commands.group("adjudicate", "rule on what raters differ on", "list|show|set")
    listing = adjudicate.add("list", "agreement", "list_conflicts", "list the conflicts")
    _form(listing)
    listing.add_argument(
        "--no-majority",
        action="store_true",
        help="only where no value has more than half of the raters",
    )
    show = adjudicate.add(
        "show", "agreement", "show_conflict", "print a subject with what each rater said"
    )
    _form(show)
    show.add_argument("subject", metavar="SUBJECT", help="as `adjudicate list` names it")
    put = adjudicate.add("set", "agreement", "rule", "say what holds of a subject")
    _form(put)
    put.add_argument("subject", metavar="SUBJECT", help="as `adjudicate list` names it")
    put.add_argument("values", nargs="+", metavar="FIELD=VALUE", help="`-` is not applicable")
    for command in (listing, put):
        command.add_argument(
            "--allow-own", action="store_true", help="also where you are one of the raters"
        )
