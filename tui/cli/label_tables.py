"""Commands that bring labels in and write them out: labels import, labels export, RAGChecker."""

from __future__ import annotations

import argparse

from store.errors import UsageError
from store.messages import plural
from store.workspace import open_workspace
from tui.cli.follow import follow
from tui.cli.output import print_json, rater, say, write_result


def import_labels(arguments: argparse.Namespace) -> int:
    from engine.labelling.importing import import_labels as bring_in

    columns = {}
    for text in arguments.map:
        column, mark, meaning = text.partition("=")
        if not mark or not column or not meaning:
            raise UsageError(f"{text!r} is not of the form COLUMN=WHAT.")
        columns[column] = meaning
    with open_workspace(arguments.workspace) as workspace:
        made = bring_in(
            workspace,
            arguments.file,
            arguments.form,
            columns=columns,
            # never the user of this computer: labels of others are not theirs by default
            rater=arguments.rater,
            na=arguments.na,
        )
    if arguments.json:
        print_json(made)
        return 0
    print(
        f"{plural(made.added, 'label')} of {plural(made.subjects, 'subject')} by"
        f" {', '.join(made.raters)}"
        + (f"; {made.unchanged:,} stood there already" if made.unchanged else "")
    )
    if made.ignored:
        say(f"ignored: {', '.join(made.ignored)}")
    return 0


def export_labels(arguments: argparse.Namespace) -> int:
    from engine.labelling.exporting import label_file

    with open_workspace(arguments.workspace) as workspace:
        text = label_file(workspace, arguments.form, arguments.out)
    write_result(text, arguments.out)
    if arguments.json:
        print_json({"form": arguments.form, "out": str(arguments.out)})
    return 0


def import_ragchecker(arguments: argparse.Namespace) -> int:
    from engine.importers.ragchecker import import_ragchecker as bring_in
    from engine.taxonomy.definitions import load_taxonomy

    with open_workspace(arguments.workspace, create=True) as workspace:
        made = bring_in(
            workspace,
            arguments.file,
            dataset=arguments.dataset,
            corpus_name=arguments.corpus or arguments.dataset,
            taxonomy=load_taxonomy(arguments.taxonomy),
            author=rater(arguments),
        )
        say(
            f"dataset {made.release.label}: {plural(made.pairs, 'pair')} of"
            f" {plural(len(made.runs), 'system')},"
            f" {plural(made.labels, 'label')} by {', '.join(made.raters)}"
        )
        code = 0
        if not arguments.detach:
            code = follow(workspace, [job.id for job in made.jobs])
    if arguments.json:
        print_json(made)
    elif code == 0:
        print("next: ragdesk agree --form preference")
    return code
