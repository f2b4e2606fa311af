"""The commands on topics: topics list, build, prune, import, export; classify."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from engine.prompts.languages import LANGS
from store.errors import InputError, UsageError
from store.messages import plural
from tui.cli.command import Command, Group
from tui.cli.costs import show_estimate, show_no_calls, spent_words
from tui.cli.options import (
    add_budget,
    add_detach,
    add_dry_run,
    add_model,
    add_out,
    add_taxonomy,
    budget_of,
    chosen_taxonomy,
    pair,
    workspace_of,
)
from tui.cli.output import ProgressLine, print_json, print_table, say, write_result

if TYPE_CHECKING:
    from engine.taxonomy.classify_job import Classify
    from store.records import Taxonomy
    from store.workspace import Workspace

SHOWN_UNREAD = 20


def _list_arguments(parser: argparse.ArgumentParser) -> None:
    add_taxonomy(parser)
    parser.add_argument(
        "--corpus", metavar="NAME", help="count the documents of this corpus by topic"
    )


def list_topics(arguments: argparse.Namespace) -> int:
    from store.corpora import corpora, document_topics, taxonomies
    from store.workspace import FILE_NAME

    taxonomy = chosen_taxonomy(arguments)
    counts: Counter[str] = Counter()
    if arguments.corpus:
        with workspace_of(arguments) as workspace:
            corpus = corpora.get(workspace.db, arguments.corpus)
            counts.update(document_topics.counts(workspace.db, corpus, taxonomy.key))
    own = []
    if (arguments.workspace / FILE_NAME).exists():
        with workspace_of(arguments) as workspace:
            own = taxonomies.listing(workspace.db)
    if arguments.json:
        classified = {key: count for key, count in counts.items() if key}
        print_json(
            {
                "taxonomy": taxonomy,
                "documents": classified if arguments.corpus else None,
                "not_classified": counts[""] if arguments.corpus else None,
                "own": [{"name": stored.taxonomy.key, "origin": stored.origin} for stored in own],
            }
        )
        return 0
    show_taxonomy(taxonomy, counts if arguments.corpus else None)
    print()
    print_table(
        ("task", "group", "en", "zh", "shape"),
        [(task.key, task.group, task.en, task.zh, task.shape) for task in taxonomy.tasks],
    )
    for stored in own:
        topics = plural(len(stored.taxonomy.topics), "topic")
        say(f"own: {stored.taxonomy.key}, {stored.origin}, {topics}")
    return 0


def show_taxonomy(taxonomy: Taxonomy, counts: Counter[str] | None = None) -> None:
    """Prints the topics, with the number of documents where it is known."""
    counted = Counter(counts or {})
    unclassified = counted.pop("", 0)
    rows = [
        (topic.key, topic.group_en, topic.en, topic.zh, f"{counted[topic.key]:,}")
        for topic in taxonomy.topics
    ]
    if counts is not None:
        rows.append(("unassigned", "", "", "", f"{counted['unassigned']:,}"))
        if unclassified:
            rows.append(("not classified", "", "", "", f"{unclassified:,}"))
    width = 4 if counts is None else 5
    print_table(("topic", "group", "en", "zh", "documents")[:width], [row[:width] for row in rows])


def _build_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--corpus", required=True, metavar="NAME", help="corpus that the topics are for"
    )
    parser.add_argument(
        "--name", required=True, metavar="TAXONOMY", help="name of the new taxonomy"
    )
    parser.add_argument(
        "--domain",
        default="",
        metavar="TEXT",
        help="subject area of the corpus (default: its name)",
    )
    parser.add_argument(
        "--count",
        type=int,
        default=12,
        metavar="N",
        help="approximate number of topics (default 12)",
    )
    parser.add_argument(
        "--lang", choices=LANGS, help="language of the topics (default: of most documents)"
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=40,
        metavar="N",
        help="number of documents that the model is shown (default 40)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of the choice of documents (default 0)",
    )
    _add_tasks_from(parser)
    add_model(parser, "topics by shared words")
    add_budget(parser)
    add_detach(parser)


def _add_tasks_from(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tasks-from",
        default="omnieval",
        metavar="TAXONOMY",
        help="taxonomy to take the tasks from (default omnieval)",
    )


def build(arguments: argparse.Namespace) -> int:
    from engine.jobs.start import start
    from engine.taxonomy.stored import find_taxonomy
    from engine.taxonomy.topics_job import ProposeTopics
    from store.corpora import taxonomies
    from tui.cli.follow import follow, show_queued

    operation = ProposeTopics(
        arguments.corpus,
        arguments.name,
        arguments.domain,
        arguments.lang,
        arguments.tasks_from,
        arguments.count,
        arguments.sample,
        arguments.seed,
        model=arguments.model or "",
        budget=budget_of(arguments),
    )
    with workspace_of(arguments) as workspace:
        job = start(workspace, operation)
        if arguments.detach:
            return show_queued(arguments, job.id)
        code = follow(workspace, [job.id])
        if code:
            return code
        taxonomy = find_taxonomy(workspace.db, arguments.name)
        stored = taxonomies.find(workspace.db, arguments.name)
    origin = stored.origin if stored else ""
    if arguments.json:
        print_json({"taxonomy": taxonomy, "origin": origin})
        return 0
    show_taxonomy(taxonomy)
    say(f"{plural(len(taxonomy.topics), 'topic')}, {origin}.")
    say(f"next: ragdesk topics prune {quote(arguments.name)} --drop KEY --rename KEY=NAME")
    corpus, name = quote(arguments.corpus), quote(arguments.name)
    say(f"then: ragdesk classify --corpus {corpus} --taxonomy {name}")
    return 0


def _prune_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("taxonomy", metavar="TAXONOMY", help="name of a taxonomy")
    parser.add_argument(
        "--drop", nargs="+", default=[], metavar="KEY", help="topics, or groups of topics, to drop"
    )
    parser.add_argument(
        "--rename",
        nargs="+",
        default=[],
        metavar="KEY=NAME",
        help="new names of topics; their keys stay",
    )
    parser.add_argument("--lang", choices=LANGS, help="language of the new names (default: both)")
    parser.add_argument(
        "--as",
        dest="new_name",
        default="",
        metavar="NAME",
        help="prune a copy of this name instead",
    )


def prune(arguments: argparse.Namespace) -> int:
    from engine.taxonomy.stored import prune_taxonomy

    rename = dict(pair(text, "--rename KEY=NAME") for text in arguments.rename)
    if not (arguments.drop or rename or arguments.new_name):
        raise UsageError("There is nothing to do.", "Give --drop KEY, --rename KEY=NAME or --as.")
    with workspace_of(arguments) as workspace, workspace.write() as db:
        made, freed = prune_taxonomy(
            db,
            arguments.taxonomy,
            drop=arguments.drop,
            rename=rename,
            lang=arguments.lang,
            new_name=arguments.new_name,
        )
    _show_saved(arguments, made, freed)
    return 0


def _import_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="taxonomy as JSON")
    parser.add_argument(
        "--name",
        default="",
        metavar="TAXONOMY",
        help="name of the taxonomy (default: the key in the file)",
    )
    _add_tasks_from(parser)


def import_topics(arguments: argparse.Namespace) -> int:
    from engine.taxonomy.stored import save_taxonomy, taxonomy_of_file
    from store.formats.faults import BOM

    try:
        data = arguments.file.read_bytes().removeprefix(BOM)
    except OSError as error:
        raise InputError(f"{arguments.file} cannot be read: {error.strerror}.") from error
    file, name = str(arguments.file), arguments.name or ""
    with workspace_of(arguments, create=True) as workspace:
        made = taxonomy_of_file(
            workspace.db, data, file, name=name, tasks_from=arguments.tasks_from
        )
        with workspace.write() as db:
            freed = save_taxonomy(db, made, f"imported from {arguments.file.name}")
    _show_saved(arguments, made, freed)
    return 0


def _show_saved(arguments: argparse.Namespace, taxonomy: Taxonomy, freed: int) -> None:
    if arguments.json:
        print_json({"taxonomy": taxonomy, "documents_without_topic": freed})
        return
    show_taxonomy(taxonomy)
    if freed:
        say(
            f"{plural(freed, 'document')} without a topic now; again:"
            f" ragdesk classify --corpus NAME --taxonomy {quote(taxonomy.key)}"
        )


def _export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("taxonomy", metavar="TAXONOMY", help="a taxonomy of ragdesk or your own")
    add_out(parser)


def export_topics(arguments: argparse.Namespace) -> int:
    from engine.report.output import json_text

    taxonomy = chosen_taxonomy(arguments)
    write_result(json_text(taxonomy), arguments.out)
    if arguments.json and arguments.out is not None:
        print_json({"taxonomy": taxonomy.key, "out": str(arguments.out)})
    return 0


def _classify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--corpus", required=True, metavar="NAME", help="corpus whose documents are classified"
    )
    add_taxonomy(parser)
    parser.add_argument(
        "--again", action="store_true", help="also classify documents that have a topic"
    )
    add_model(parser, "by words")
    add_budget(parser)
    add_detach(parser)
    add_dry_run(parser)


def classify(arguments: argparse.Namespace) -> int:
    from engine.jobs.model_choice import chosen_provider
    from engine.jobs.operation import dry_run
    from engine.taxonomy.classify_job import Classify
    from engine.taxonomy.offline_classification import classify_corpus
    from store.corpora import corpora

    operation = Classify(
        arguments.corpus,
        arguments.taxonomy,
        arguments.again,
        model=arguments.model or "",
        budget=budget_of(arguments),
    )
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            estimate = dry_run(workspace, operation)
            if chosen_provider(workspace, operation.model) is None:
                show_no_calls(arguments, "By words: no model is asked.")
            else:
                show_estimate(arguments, estimate)
            return 0
        if arguments.model or arguments.detach:
            return _classify_in_background(arguments, workspace, operation)
        operation.check(workspace)
        taxonomy = operation.find_taxonomy(workspace.db)
        line = ProgressLine()
        now = classify_corpus(
            workspace,
            corpora.get(workspace.db, arguments.corpus),
            taxonomy,
            again=arguments.again,
            progress=lambda done: line.show(f"{plural(done, 'document')} classified."),
        )
        line.end(f"{plural(now.total(), 'document')} classified.")
        _show_classified(arguments, workspace, taxonomy, {"classified": now.total()})
    return 0


def _classify_in_background(
    arguments: argparse.Namespace, workspace: Workspace, operation: Classify
) -> int:
    from engine.jobs.start import start
    from store.corpora import topic_replies
    from tui.cli.follow import follow, show_queued

    taxonomy = operation.find_taxonomy(workspace.db)
    job = start(workspace, operation)
    if arguments.detach:
        return show_queued(arguments, job.id)
    code = follow(workspace, [job.id])
    states = topic_replies.counts(workspace.db, job.id)
    tokens, cost = topic_replies.spent(workspace.db, job.id)
    replies = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    say(f"{replies or 'nothing to classify'}; {spent_words(job, tokens, cost)}")
    figures = {"job": job.id, "classified": sum(states.values()), "replies": states}
    _show_classified(arguments, workspace, taxonomy, {**figures, "tokens": tokens, "cost": cost})
    return code


def _show_classified(
    arguments: argparse.Namespace,
    workspace: Workspace,
    taxonomy: Taxonomy,
    figures: dict[str, object],
) -> None:
    from store.corpora import corpora, document_topics, topic_replies

    corpus = corpora.get(workspace.db, arguments.corpus)
    counts = Counter(document_topics.counts(workspace.db, corpus, taxonomy.key))
    unclassified = counts.pop("", 0)
    unread = topic_replies.unread(workspace.db, corpus, taxonomy.key)
    if arguments.json:
        documents = {"topics": counts, "not_classified": unclassified, "unread": unread}
        print_json({"corpus": arguments.corpus, **figures, **documents})
        return
    keys = [topic.key for topic in taxonomy.topics] + ["unassigned"]
    rows = [(key, f"{counts[key]:,}") for key in keys]
    if unclassified:
        rows.append(("not classified", f"{unclassified:,}"))
    print_table(("topic", "documents"), rows)
    for document in unread[:SHOWN_UNREAD]:
        say(f"unassigned, {document.state}: {document.source}: {document.reason}")
    if len(unread) > SHOWN_UNREAD:
        say(f"unassigned: {len(unread) - SHOWN_UNREAD:,} more (all of them with --json)")


COMMANDS = (
    Group(
        "topics",
        "taxonomies of topics and tasks",
        "list|build|prune|import|export",
        (
            Command(
                "list",
                "list a taxonomy's topics and tasks",
                list_topics,
                _list_arguments,
                "ragdesk topics list --corpus finance",
            ),
            Command(
                "build",
                "propose topics for a corpus",
                build,
                _build_arguments,
                "ragdesk topics build --corpus finance --name own --count 12",
            ),
            Command(
                "prune",
                "drop or rename topics of a taxonomy",
                prune,
                _prune_arguments,
                'ragdesk topics prune own --drop misc --rename loans="Consumer loans"',
            ),
            Command(
                "import",
                "read a taxonomy, or a topic_tree.json of OmniEval",
                import_topics,
                _import_arguments,
                "ragdesk topics import own.json --name own",
            ),
            Command(
                "export",
                "write a taxonomy as JSON, to edit it",
                export_topics,
                _export_arguments,
                "ragdesk topics export own --out own.json",
            ),
        ),
    ),
    Command(
        "classify",
        "give each document its topic",
        classify,
        _classify_arguments,
        "ragdesk classify --corpus finance --taxonomy own",
    ),
)
