"""The commands on items: show one; list, act on and take back many, and those that are alike."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import Group, command, option, titled
from tui.cli.options import filled, form_option, rater, typed, workspace_of
from tui.cli.output import print_json, print_line, print_text, say, show, show_table, tell
from tui.language import read, tr

if TYPE_CHECKING:
    from engine.labelling.items.acts import ActPlan, Verb
    from engine.labelling.items.item_lists import ItemRequest
    from store.labels.forms import Form


@command(
    "show",
    "print an item with its evidence and the stages that it was made in",
    option("ITEM", "name of the item, as exports and lists of results have it"),
    option("--dataset NAME", "its dataset", required=True),
    example="g3f2a9c01d4e5b678 --dataset mine",
)
def show_item(arguments: argparse.Namespace) -> int:
    from engine.generate.making import made_in
    from store.corpora import corpora
    from store.datasets import datasets, revisions

    with workspace_of(arguments) as workspace:
        db = workspace.db
        dataset = datasets.get(db, arguments.dataset, archived=True)
        sheet = revisions.sheet(db, datasets.head(db, dataset, arguments.item))
        stages = made_in(db, corpora.get_by_id(db, dataset.corpus_id), sheet.item)
    if arguments.json:
        shown = {
            "item": sheet.item_key,
            "dataset": sheet.dataset,
            "state": sheet.state,
            "author": sheet.author,
            "revision": sheet.number,
            "content": sheet.content,
            "stages": stages,
        }
        print_json(shown)
        return 0
    content = sheet.content
    print_line(
        "{item}  {task}  {topic}  {state}  by {author}",
        item=sheet.item_key,
        task=content.task,
        topic=content.topic,
        state=tr(sheet.state),
        author=sheet.author,
    )
    for turn in content.turns:
        print_text(f"{tr('question: ')}{turn.question}", indent=4)
        for answer in turn.golden_answers:
            print_text(f"{tr('golden answer: ')}{answer}", indent=4)
        for unit in turn.evidence:
            document = sheet.documents.get(unit.document_id)
            name = (document and (document.title or document.path)) or unit.document_id
            quote = unit.quote or tr("the whole document")
            print_text(f"{tr('evidence: ')}{name}: {quote}", indent=4)
    for document_id in content.hidden:
        print_line("hidden: {document_id}", document_id=document_id)
    for name, value in content.facets.items():
        print_text(f"{tr(name)}: {value}", indent=4)
    for number, stage in enumerate(stages, 1):
        print_line("stage {number}: {name}", number=number, name=stage.name)
        if stage.problem:
            print_text(f"    {tr('asked again: {problem}', problem=stage.problem)}", indent=8)
        for line in stage.lines:
            print_text(f"    {line}", indent=8)
    return 0


_STATES = ("drafted", "accepted", "discarded", "needs_correction", "corrected")
_WANTED = titled(
    "which items",
    "Those that all of these hold of; without any, all of the dataset.",
    option("--dataset NAME", "their dataset", required=True),
    option("--items ITEM...", "these items, by name"),
    option("--text TEXT", "a question or a golden answer holds this text", ""),
    option("--states STATE...", "they are in one of these states", choices=_STATES),
    option("--topics KEY...", "their topic is one of these"),
    option("--tasks TASK...", "their task is one of these"),
    option("--authors AUTHOR...", "one of these wrote the text: a person, a model or an import"),
    option("--document TEXT", "title, path or name of a document of the evidence holds this", ""),
    option(
        "--verdicts N...",
        "automatic inspection gave the text one of these: 2, 1 or 0",
        dest="verdicts",
    ),
    option("--run RUN", "the run that the scores of --metric are of", "", dest="run_name"),
    option("--metric M", "the run's answer has a score of this metric", ""),
    option("--judge NAME", "judge of the metric, where several scored it", ""),
    option("--low X", "the score is at least this", None, type=float),
    option("--high X", "the score is at most this", None, type=float),
    option(
        "--duplicates",
        "those that have a near-duplicate among these (groups), or of each group all but the first"
        " (later)",
        "",
        choices=("groups", "later"),
    ),
)


def _wanted(arguments: argparse.Namespace) -> ItemRequest:
    from engine.labelling.items.item_lists import ItemRequest
    from store.datasets.item_lists import ItemFilter
    from store.records import ItemState

    wanted = ItemFilter(
        text=arguments.text,
        states=tuple(ItemState(state) for state in arguments.states),
        topics=tuple(arguments.topics),
        tasks=tuple(arguments.tasks),
        authors=tuple(arguments.authors),
        document=arguments.document,
        verdicts=tuple(arguments.verdicts),
        items=tuple(arguments.items),
    )
    return filled(ItemRequest, arguments, filter=wanted, run=arguments.run_name)


@command(
    "list",
    "list the items that a text, a state, a cell, a score or an author is common to",
    *_WANTED,
    example="--dataset mine --text rate --states drafted",
)
def list_items(arguments: argparse.Namespace) -> int:
    from msgspec import to_builtins

    from engine.labelling.items.item_lists import list_items
    from store.datasets import item_lists

    with workspace_of(arguments) as workspace:
        found = list_items(workspace.db, _wanted(arguments))
        lines = item_lists.lines(workspace.db, found.items, found.filter)
    extra = [*(["group"] if arguments.duplicates else []), *(["score"] if arguments.metric else [])]
    rows = []
    for line in lines:
        row = {**to_builtins(line), "group": found.groups.get(line.item)}
        rows.append(
            [
                line.item_key,
                *("" if row[name] is None else f"{row[name]:g}" for name in extra),
                tr(line.state),
                line.task,
                line.topic,
                "" if line.verdict is None else str(line.verdict),
                line.author,
                line.question.replace("\n", " "),
            ]
        )
    value = [
        {**to_builtins(line), "group": found.groups.get(line.item)}
        if arguments.duplicates
        else line
        for line in lines
    ]
    code = show_table(
        arguments,
        value,
        ["item", *extra, "state", "task", "topic", "verdict", "author", "question"],
        rows,
        empty=tr("No item is so."),
    )
    if lines and not arguments.json:
        say(f"{read(plural(len(lines), 'item'))}: {_counts(found.states)}")
    return code


_VERBS: Mapping[str, Verb] = {
    **dict.fromkeys(("accept", "discard", "correct"), "set"),
    "exclude": "exclude",
    "postpone": "postpone",
    "flag": "flag",
    "sample": "sample",
}


@command(
    "act",
    "do the same with all items that are found, as one act",
    option(
        "ACT",
        "accept, discard, or send to correction (correct); exclude from your own labelling,"
        " postpone, flag; add to a sample (sample)",
        choices=tuple(_VERBS),
    ),
    *_WANTED,
    form_option(),
    option("--score N", "with accept, discard, correct: the value that says so", None, type=int),
    option("--reason KEY", "with exclude: the reason, as `ragdesk forms show` has them", ""),
    option("--sample NAME", "with sample: a sample of the form, or the name of a new one", ""),
    option("--yes", "do it without asking for confirmation"),
    option("--dry-run", "only print how many of what it would be done with"),
    example="exclude --reason duplicate --dataset mine --duplicates later --dry-run",
)
def act(arguments: argparse.Namespace) -> int:
    from engine.labelling.forms import load_form
    from engine.labelling.items.acts import ActRequest, left_out_text, perform_act, plan_act

    who = rater(arguments)
    with workspace_of(arguments) as workspace, typed():
        value = _value(arguments, load_form(arguments.form))
        request = ActRequest(_wanted(arguments), _VERBS[arguments.act], value, arguments.form)
        plan = plan_act(workspace.db, request, who)
        if arguments.dry_run:
            return show(arguments, plan, *_plan_lines(plan))
        if not arguments.yes and not _confirmed(plan):
            tell("Nothing was done.")
            return 1
        done = perform_act(workspace, request, plan.items, who)
    left_out = {**plan.left_out, **done.left_out}
    lines = [
        tr(
            "{what}: {items}; now {counts}",
            what=done.what,
            items=plural(done.items, "item"),
            counts=_counts(done.states),
        )
    ]
    if left_out:
        lines.append(tr("left out: {items}", items=left_out_text(left_out)))
    return show(arguments, done, *lines, tr("undo: ragdesk items undo"))


def _value(arguments: argparse.Namespace, form: Form) -> int | str:
    """The value, reason or sample that goes with the act. UsageError where it is missing, or given
    with another act."""
    named = {"exclude": "reason", "sample": "sample"}.get(arguments.act, "")
    for name in ("reason", "sample"):
        if bool(getattr(arguments, name)) != (name == named):
            raise UsageError(
                f"--{name} goes with `items act {'exclude' if name == 'reason' else 'sample'}`.",
                f"Give --{name} with it." if name == named else f"Leave --{name} out.",
            )
    if named:
        return str(getattr(arguments, named))
    if _VERBS[arguments.act] != "set":
        if arguments.score is not None:
            raise UsageError("--score goes with accept, discard and correct.", "Leave it out.")
        return ""
    if form.decision is None:
        return 0  # refused by what plans the act, which names the form
    legal: tuple[int | str, ...] = getattr(form.decision, arguments.act)
    if arguments.score is None:
        return legal[0] if legal else 0
    if arguments.score not in legal:
        values = ", ".join(map(str, legal))
        raise UsageError(
            f"Score {arguments.score} does not {arguments.act}.", f"These do: {values or 'none'}."
        )
    return int(arguments.score)


def _plan_lines(plan: ActPlan) -> list[str]:
    from engine.labelling.items.acts import left_out_text

    items = read(plural(len(plan.items), "item"))
    lines = [f"{read(plan.what)}: {items}, {_counts(plan.states)}"]
    if plan.left_out:
        lines.append(tr("left out: {items}", items=left_out_text(plan.left_out)))
    return lines


def _confirmed(plan: ActPlan) -> bool:
    for line in _plan_lines(plan):
        say(line)
    if not plan.items:
        return False
    if not sys.stdin.isatty():
        raise UsageError(
            "An act on many items has to be confirmed, and nobody is there to ask.",
            "Give --yes to do it.",
        )
    sys.stderr.write(tr("Do it? [y/N] "))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() == "y"


def _counts(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {tr(state)}" for state, count in states.items()) or tr("none")


@command("undo", "take back your last act as a whole")
def undo(arguments: argparse.Namespace) -> int:
    from engine.labelling.items.acts import undo_act

    with workspace_of(arguments) as workspace:
        undone = undo_act(workspace, rater(arguments))
    if undone is None:
        return show(arguments, None, tr("there is no act to take back"))
    lines = [tr("took back: {what}, {items}", what=undone.what, items=plural(undone.items, "item"))]
    if undone.stay:
        lines.append(
            tr(
                "{items} stay in the sample: somebody has begun them",
                items=plural(undone.stay, "item"),
            )
        )
    return show(arguments, undone, *lines)


@command("acts", "list what was done with many items at once")
def list_acts(arguments: argparse.Namespace) -> int:
    from store.labels.log import acts

    with workspace_of(arguments) as workspace:
        held = acts.listing(workspace.db)
    return show_table(
        arguments,
        held,
        ["number", "at", "by", "act", "items", "stands"],
        [
            [
                str(one.id),
                one.at[:16].replace("T", " "),
                one.rater,
                one.what,
                f"{one.items:,}",
                tr("yes") if one.stands else tr("taken back"),
            ]
            for one in held
        ],
        empty=tr("Nobody has acted on many items at once."),
    )


@command(
    "similar",
    "list the items whose questions share most words with that of an item",
    option("ITEM", "name of the item, as exports and lists of results have it"),
    option("--dataset NAME", "its dataset", required=True),
    option("--number N", "so many of those that are most like it (default 5)", 5),
    example="g3f2a9c01d4e5b678 --dataset mine",
)
def similar(arguments: argparse.Namespace) -> int:
    from engine.labelling.items.item_lists import questions, similar_items
    from store.datasets import datasets

    with workspace_of(arguments) as workspace:
        dataset = datasets.get(workspace.db, arguments.dataset, archived=True)
        datasets.head(workspace.db, dataset, arguments.item)
        item = datasets.find_item(workspace.db, dataset, arguments.item)
        assert item is not None
        found = similar_items(workspace.db, arguments.dataset, item, arguments.number)
    return show_table(
        arguments,
        found.others,
        ["item", "similarity", "state", "question"],
        [
            [
                one.item_key,
                f"{one.similarity:.2f}",
                tr(one.state),
                questions(one.content).replace("\n", " "),
            ]
            for one in found.others
        ],
        empty=tr("No item of the dataset shares a word with it."),
    )


COMMANDS = (
    show_item,
    Group(
        "items",
        "list items by what holds of them, and act on all of a list",
        "COMMAND",
        (list_items, act, undo, list_acts, similar),
    ),
)
