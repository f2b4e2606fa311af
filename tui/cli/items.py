"""The command that prints one item: show."""

from __future__ import annotations

import argparse

from tui.cli.command import Command, option
from tui.cli.options import workspace_of
from tui.cli.output import print_json, print_text

_SHOW = (
    option("ITEM", "name of the item, as exports and lists of results have it"),
    option("--dataset NAME", "its dataset", required=True),
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
    print(f"{sheet.item_key}  {content.task}  {content.topic}  {sheet.state}  by {sheet.author}")
    for turn in content.turns:
        print_text(f"question: {turn.question}", indent=4)
        for answer in turn.golden_answers:
            print_text(f"golden answer: {answer}", indent=4)
        for unit in turn.evidence:
            document = sheet.documents.get(unit.document_id)
            name = (document and (document.title or document.path)) or unit.document_id
            print_text(f"evidence: {name}: {unit.quote or 'the whole document'}", indent=4)
    for document_id in content.hidden:
        print(f"hidden: {document_id}")
    for name, value in content.facets.items():
        print_text(f"{name}: {value}", indent=4)
    for number, stage in enumerate(stages, 1):
        print(f"stage {number}: {stage.name}")
        if stage.problem:
            print_text(f"    asked again: {stage.problem}", indent=8)
        for line in stage.lines:
            print_text(f"    {line}", indent=8)
    return 0


COMMANDS = (
    Command(
        "show",
        "print an item with its evidence and the stages that it was made in",
        show_item,
        _SHOW,
        "g3f2a9c01d4e5b678 --dataset mine",
    ),
)
