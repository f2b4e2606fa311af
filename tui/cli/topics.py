"""The commands on topics: topics list, build, prune, import, export; classify."""

from __future__ import annotations

import argparse
from collections import Counter
from operator import attrgetter
from shlex import quote
from typing import TYPE_CHECKING

from engine.prompts.languages import LANGS
from store.errors import UsageError
from store.messages import plural
from tui.cli.command import Group, command, option
from tui.cli.costs import show_dry_run, spent_words
from tui.cli.options import (
    BUDGET,
    DRY_RUN,
    OUT,
    budget_of,
    chosen_taxonomy,
    detach_option,
    filled,
    model_option,
    pair,
    taxonomy_option,
    workspace_of,
)
from tui.cli.output import ProgressLine, print_json, print_table, say, say_first, tell, write_result
from tui.language import language, read, tr

if TYPE_CHECKING:
    from engine.taxonomy.classify_job import Classify
    from store.records import Taxonomy
    from store.workspace import Workspace

SHOWN_UNREAD = 20


@command(
    "list",
    "list a taxonomy's topics and tasks",
    taxonomy_option(),
    option("--corpus NAME", "count the documents of this corpus by topic"),
    example="--corpus finance",
)
def list_topics(arguments: argparse.Namespace) -> int:
    from engine.generate.rules.drafting import builder_of
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
        ("task", "group", "en", "zh", "shape", "written by"),
        [
            (
                task.key,
                task.group,
                task.en,
                task.zh,
                task.shape,
                tr("a model") if builder_of(task) is None else tr("rules or a model"),
            )
            for task in taxonomy.tasks
        ],
    )
    for stored in own:
        topics = plural(len(stored.taxonomy.topics), "topic")
        tell(
            "own: {key}, {origin}, {topics}",
            key=stored.taxonomy.key,
            origin=read(stored.origin),
            topics=topics,
        )
    return 0


def show_taxonomy(taxonomy: Taxonomy, counts: Counter[str] | None = None) -> None:
    """Prints the topics, with the number of documents where it is known."""
    group_of = attrgetter("group_zh" if language() == "zh" else "group_en")
    counted = Counter(counts or {})
    unclassified = counted.pop("", 0)
    rows = [
        (topic.key, group_of(topic), topic.en, topic.zh, f"{counted[topic.key]:,}")
        for topic in taxonomy.topics
    ]
    if counts is not None:
        rows.append((tr("unassigned"), "", "", "", f"{counted['unassigned']:,}"))
        if unclassified:
            rows.append((tr("not classified"), "", "", "", f"{unclassified:,}"))
    width = 4 if counts is None else 5
    print_table(("topic", "group", "en", "zh", "documents")[:width], [row[:width] for row in rows])


_TASKS_FROM = option(
    "--tasks-from TAXONOMY", "taxonomy to take the tasks from (default omnieval)", "omnieval"
)


@command(
    "build",
    "propose topics for a corpus",
    option("--corpus NAME", "corpus that the topics are for", required=True),
    option("--name TAXONOMY", "name of the new taxonomy", required=True),
    option("--domain TEXT", "subject area of the corpus (default: its name)", ""),
    option("--count N", "approximate number of topics (default 12)", 12),
    option("--lang", "language of the topics (default: of most documents)", choices=LANGS),
    option("--sample N", "number of documents that the model is shown (default 40)", 40),
    option("--seed N", "seed of the choice of documents (default 0)", 0),
    _TASKS_FROM,
    model_option("topics by shared words"),
    *BUDGET,
    detach_option(),
    example="--corpus finance --name own --count 12",
)
def build(arguments: argparse.Namespace) -> int:
    from engine.jobs.start import start
    from engine.taxonomy.stored import find_taxonomy
    from engine.taxonomy.topics_job import ProposeTopics
    from store.corpora import taxonomies
    from tui.cli.follow import follow, show_queued

    operation = filled(ProposeTopics, arguments, budget=budget_of(arguments))
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
    say(f"{read(plural(len(taxonomy.topics), 'topic'))}, {read(origin)}{tr('.')}")
    tell(
        "next: ragdesk topics prune {taxonomy} --drop KEY --rename KEY=NAME",
        taxonomy=quote(arguments.name),
    )
    corpus, name = quote(arguments.corpus), quote(arguments.name)
    tell("then: ragdesk classify --corpus {corpus} --taxonomy {name}", corpus=corpus, name=name)
    return 0


@command(
    "prune",
    "drop or rename topics of a taxonomy",
    option("TAXONOMY", "name of a taxonomy"),
    option("--drop KEY...", "topics, or groups of topics, to drop"),
    option("--rename KEY=NAME...", "new names of topics; their keys stay"),
    option("--lang", "language of the new names (default: both)", choices=LANGS),
    option("--as NAME", "prune a copy of this name instead", "", dest="new_name"),
    example='own --drop misc --rename loans="Consumer loans"',
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


@command(
    "import",
    "read a taxonomy, or a topic_tree.json of OmniEval",
    option("FILE", "taxonomy as JSON"),
    option("--name TAXONOMY", "name of the taxonomy (default: the key in the file)", ""),
    _TASKS_FROM,
    example="own.json --name own",
)
def import_topics(arguments: argparse.Namespace) -> int:
    from engine.corpus.paths import path_text
    from engine.taxonomy.stored import save_taxonomy, taxonomy_of_file
    from store.formats.faults import read_bytes

    data = read_bytes(arguments.file)
    file, name = str(arguments.file), arguments.name or ""
    with workspace_of(arguments, create=True) as workspace:
        made = taxonomy_of_file(
            workspace.db, data, file, name=name, tasks_from=arguments.tasks_from
        )
        with workspace.write() as db:
            freed = save_taxonomy(db, made, f"imported from {path_text(arguments.file.name)}")
    _show_saved(arguments, made, freed)
    return 0


def _show_saved(arguments: argparse.Namespace, taxonomy: Taxonomy, freed: int) -> None:
    if arguments.json:
        print_json({"taxonomy": taxonomy, "documents_without_topic": freed})
        return
    show_taxonomy(taxonomy)
    if freed:
        tell(
            "{documents} without a topic now; again: ragdesk classify --corpus NAME "
            "--taxonomy {taxonomy}",
            documents=plural(freed, "document"),
            taxonomy=quote(taxonomy.key),
        )


@command(
    "export",
    "write a taxonomy as JSON, to edit it",
    option("TAXONOMY", "a taxonomy of ragdesk or your own"),
    *OUT,
    example="own --out own.json",
)
def export_topics(arguments: argparse.Namespace) -> int:
    from engine.report.output import json_text

    taxonomy = chosen_taxonomy(arguments)
    write_result(arguments, json_text(taxonomy))
    if arguments.json and arguments.out is not None:
        print_json({"taxonomy": taxonomy.key, "out": str(arguments.out)})
    return 0


@command(
    "classify",
    "give each document its topic",
    option("--corpus NAME", "corpus whose documents are classified", required=True),
    taxonomy_option(),
    option("--again", "also classify documents that have a topic"),
    model_option("by words"),
    *BUDGET,
    detach_option(),
    DRY_RUN,
    example="--corpus finance --taxonomy own",
)
def classify(arguments: argparse.Namespace) -> int:
    from engine.taxonomy.classify_job import Classify
    from engine.taxonomy.offline_classification import classify_corpus
    from store.corpora import corpora

    operation = filled(Classify, arguments, budget=budget_of(arguments))
    with workspace_of(arguments) as workspace:
        if arguments.dry_run:
            by_rule = tr("By words: no model is asked.")
            show_dry_run(arguments, workspace, operation, by_rule)
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
            progress=lambda done: line.show(
                tr("{documents} classified.", documents=plural(done, "document"))
            ),
        )
        line.end(tr("{documents} classified.", documents=plural(now.total(), "document")))
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
    replies = ", ".join(f"{count:,} {tr(state)}" for state, count in sorted(states.items()))
    say(f"{replies or tr('nothing to classify')}; {spent_words(job.params, tokens, cost)}")
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
        rows.append((tr("not classified"), f"{unclassified:,}"))
    print_table(("topic", "documents"), rows)
    lines = [
        tr(
            "unassigned, {state}: {source}: {reason}",
            state=tr(one.state),
            source=one.source,
            reason=read(one.reason),
        )
        for one in unread
    ]
    say_first(lines, SHOWN_UNREAD, tr("unassigned: {} more (all of them with --json)"))


COMMANDS = (
    Group(
        "topics",
        "taxonomies of topics and tasks",
        "list|build|prune|import|export",
        (list_topics, build, prune, import_topics, export_topics),
    ),
    classify,
)
