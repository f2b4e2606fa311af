"""Commands on taxonomies and topics: topics list, build, prune, import, export; classify."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from store.errors import InputError, UsageError
from store.messages import plural
from store.workspace import Workspace, open_workspace
from tui.cli.follow import follow
from tui.cli.output import ProgressLine, print_json, print_table, say, write_result

if TYPE_CHECKING:
    from engine.evaluate.estimate import RequestCount
    from engine.models.settings import Provider
    from store.jobs.jobs import Job
    from store.records import Taxonomy

SHOWN_UNREAD = 20


def chosen_taxonomy(arguments: argparse.Namespace) -> Taxonomy:
    """The taxonomy that --taxonomy names: one that comes with ragdesk, or the workspace's own."""
    from engine.taxonomy.definitions import load_taxonomy, shipped_taxonomies
    from engine.taxonomy.stored import find_taxonomy
    from store.workspace import FILE_NAME

    is_shipped = arguments.taxonomy in shipped_taxonomies()
    if is_shipped or not (arguments.workspace / FILE_NAME).exists():
        return load_taxonomy(arguments.taxonomy)
    with open_workspace(arguments.workspace) as workspace:
        return find_taxonomy(workspace.db, arguments.taxonomy)


def list_topics(arguments: argparse.Namespace) -> int:
    from store.corpora import corpora, taxonomies
    from store.workspace import FILE_NAME

    taxonomy = chosen_taxonomy(arguments)
    counts: Counter[str] = Counter()
    if arguments.corpus:
        with open_workspace(arguments.workspace) as workspace:
            corpus = corpora.get(workspace.db, arguments.corpus)
            counts.update(corpora.topic_counts(workspace.db, corpus, taxonomy.key))
    own = []
    if (arguments.workspace / FILE_NAME).exists():
        with open_workspace(arguments.workspace) as workspace:
            own = taxonomies.listing(workspace.db)
    if arguments.json:
        classified = {key: count for key, count in counts.items() if key}
        print_json(
            {
                "taxonomy": taxonomy,
                "documents": classified if arguments.corpus else None,
                "not_classified": counts[""] if arguments.corpus else None,
                "own": [{"name": one.taxonomy.key, "origin": one.origin} for one in own],
            }
        )
        return 0
    show_taxonomy(taxonomy, counts if arguments.corpus else None)
    print()
    print_table(
        ("task", "group", "en", "zh", "shape"),
        [(task.key, task.group, task.en, task.zh, task.shape) for task in taxonomy.tasks],
    )
    for one in own:
        say(f"own: {one.taxonomy.key}, {one.origin}, {plural(len(one.taxonomy.topics), 'topic')}")
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


def build(arguments: argparse.Namespace) -> int:
    from engine.jobs.launch import JobBudget, ensure_worker
    from engine.taxonomy.stored import find_taxonomy
    from engine.taxonomy.topics_job import queue_topics
    from store.corpora import taxonomies

    with open_workspace(arguments.workspace) as workspace:
        job = queue_topics(
            workspace,
            arguments.corpus,
            arguments.name,
            model=arguments.model,
            domain=arguments.domain,
            lang=arguments.lang,
            tasks_from=arguments.tasks_from,
            count=arguments.count,
            sample=arguments.sample,
            seed=arguments.seed,
            budget=JobBudget(arguments.max_tokens, arguments.max_cost),
        )
        ensure_worker(workspace)
        if arguments.detach:
            return _detached(arguments, job.id)
        code = follow(workspace, [job.id])
        if code:
            return code
        taxonomy = find_taxonomy(workspace.db, arguments.name)
        found = taxonomies.find(workspace.db, arguments.name)
    if arguments.json:
        print_json({"taxonomy": taxonomy, "origin": found.origin if found else ""})
        return 0
    show_taxonomy(taxonomy)
    say(f"{plural(len(taxonomy.topics), 'topic')}, {found.origin if found else ''}.")
    say(f"next: ragdesk topics prune {arguments.name} --drop KEY --rename KEY=NAME")
    say(f"then: ragdesk classify --corpus {arguments.corpus} --taxonomy {arguments.name}")
    return 0


def prune(arguments: argparse.Namespace) -> int:
    from engine.taxonomy.stored import prune_taxonomy

    rename = dict(_pair(text) for text in arguments.rename)
    if not (arguments.drop or rename or arguments.new_name):
        raise UsageError("There is nothing to do.", "Give --drop KEY, --rename KEY=NAME or --as.")
    with open_workspace(arguments.workspace) as workspace, workspace.write() as db:
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


def import_topics(arguments: argparse.Namespace) -> int:
    from engine.taxonomy.stored import save_taxonomy, taxonomy_of_file
    from store.formats.faults import BOM

    try:
        data = arguments.file.read_bytes().removeprefix(BOM)
    except OSError as error:
        raise InputError(f"{arguments.file} cannot be read: {error.strerror}.") from error
    file, name = str(arguments.file), arguments.name or ""
    with open_workspace(arguments.workspace, create=True) as workspace:
        made = taxonomy_of_file(
            workspace.db, data, file, name=name, tasks_from=arguments.tasks_from
        )
        with workspace.write() as db:
            freed = save_taxonomy(db, made, f"imported from {arguments.file.name}")
    _show_saved(arguments, made, freed)
    return 0


def export_topics(arguments: argparse.Namespace) -> int:
    from engine.report.output import json_text

    taxonomy = chosen_taxonomy(arguments)
    write_result(json_text(taxonomy), arguments.out)
    if arguments.json and arguments.out is not None:
        print_json({"taxonomy": taxonomy.key, "out": str(arguments.out)})
    return 0


def classify(arguments: argparse.Namespace) -> int:
    from engine.jobs.launch import JobBudget
    from engine.taxonomy.classify_job import check_classify
    from engine.taxonomy.offline_classification import classify_corpus

    with open_workspace(arguments.workspace) as workspace:
        corpus, taxonomy, provider = check_classify(
            workspace,
            arguments.corpus,
            arguments.taxonomy,
            model=arguments.model,
            budget=JobBudget(arguments.max_tokens, arguments.max_cost),
        )
        if arguments.dry_run:
            return _estimate_classify(arguments, workspace, provider)
        if arguments.model or arguments.detach:
            return _classify_in_background(arguments, workspace, taxonomy)
        line = ProgressLine()
        now = classify_corpus(
            workspace,
            corpus,
            taxonomy,
            again=arguments.again,
            progress=lambda done: line.show(f"{plural(done, 'document')} classified."),
        )
        line.end(f"{plural(now.total(), 'document')} classified.")
        _show_classified(arguments, workspace, taxonomy, {"classified": now.total()})
    return 0


def _classify_in_background(
    arguments: argparse.Namespace, workspace: Workspace, taxonomy: Taxonomy
) -> int:
    from engine.jobs.launch import JobBudget, ensure_worker
    from engine.taxonomy.classify_job import queue_classify
    from store.corpora import topic_replies

    job = queue_classify(
        workspace,
        arguments.corpus,
        taxonomy.key,
        model=arguments.model,
        again=arguments.again,
        budget=JobBudget(arguments.max_tokens, arguments.max_cost),
    )
    ensure_worker(workspace)
    if arguments.detach:
        return _detached(arguments, job.id)
    code = follow(workspace, [job.id])
    states = topic_replies.counts(workspace.db, job.id)
    tokens, cost = topic_replies.spent(workspace.db, job.id)
    said = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
    say(f"{said or 'nothing to classify'}; {spent_words(job, tokens, cost)}")
    figures = {"job": job.id, "classified": sum(states.values()), "replies": states}
    _show_classified(arguments, workspace, taxonomy, {**figures, "tokens": tokens, "cost": cost})
    return code


def _show_classified(
    arguments: argparse.Namespace,
    workspace: Workspace,
    taxonomy: Taxonomy,
    figures: dict[str, object],
) -> None:
    from store.corpora import corpora, topic_replies

    corpus = corpora.get(workspace.db, arguments.corpus)
    counts = Counter(corpora.topic_counts(workspace.db, corpus, taxonomy.key))
    unclassified = counts.pop("", 0)
    unread = topic_replies.unread(workspace.db, corpus, taxonomy.key)
    if arguments.json:
        said = {"topics": counts, "not_classified": unclassified, "unread": unread}
        print_json({"corpus": arguments.corpus, **figures, **said})
        return
    keys = [topic.key for topic in taxonomy.topics] + ["unassigned"]
    rows = [(key, f"{counts[key]:,}") for key in keys]
    if unclassified:
        rows.append(("not classified", f"{unclassified:,}"))
    print_table(("topic", "documents"), rows)
    for one in unread[:SHOWN_UNREAD]:
        say(f"unassigned, {one.state}: {one.source}: {one.reason}")
    if len(unread) > SHOWN_UNREAD:
        say(f"unassigned: {len(unread) - SHOWN_UNREAD:,} more (all of them with --json)")


def _estimate_classify(
    arguments: argparse.Namespace, workspace: Workspace, provider: Provider | None
) -> int:
    from engine.taxonomy.classify_job import estimate_classify

    if provider is None:
        show_no_calls(arguments, "By words: no model is asked.")
        return 0
    count = estimate_classify(
        workspace, arguments.corpus, arguments.taxonomy, provider, arguments.again
    )
    show_count(arguments, count)
    return 0


def spent_words(job: Job, tokens: int, cost: float) -> str:
    """What a job's model calls took, money in the currency of the provider's prices."""
    prices = (job.params.get("provider") or {}).get("prices")
    if prices is None:
        return plural(tokens, "token")
    return f"{plural(tokens, 'token')}, {cost:.4f} {prices.get('currency', 'USD')}"


_COUNTED = ("calls", "cached", "tokens_in", "tokens_out", "cost", "currency")


def show_no_calls(arguments: argparse.Namespace, why: str) -> None:
    """Prints that a job would ask no model."""
    if arguments.json:
        print_json({**dict.fromkeys(_COUNTED[:-1], 0), "currency": None})
    say(why)


def show_count(arguments: argparse.Namespace, count: RequestCount) -> None:
    """Prints what a job would ask a model for."""
    if arguments.json:
        print_json({name: getattr(count, name) for name in _COUNTED})
        return
    print(f"model calls {count.calls:,}, of which {count.cached:,} are in the cache")
    print(f"tokens in about {count.tokens_in:,}, out at most about {count.tokens_out:,}")
    if count.currency is not None:
        print(f"cost about {count.cost:,.2f} {count.currency}")
    elif count.calls:
        print("cost unknown: the provider has no prices in ragdesk.toml")


def _show_saved(arguments: argparse.Namespace, taxonomy: Taxonomy, freed: int) -> None:
    if arguments.json:
        print_json({"taxonomy": taxonomy, "documents_without_topic": freed})
        return
    show_taxonomy(taxonomy)
    if freed:
        say(
            f"{plural(freed, 'document')} without a topic now; again:"
            f" ragdesk classify --corpus NAME --taxonomy {taxonomy.key}"
        )


def _detached(arguments: argparse.Namespace, job_id: int) -> int:
    if arguments.json:
        print_json({"job": job_id})
    else:
        print(f"job {job_id} is queued; see `ragdesk jobs show {job_id}`")
    return 0


def _pair(text: str) -> tuple[str, str]:
    key, mark, name = text.partition("=")
    if not (key and mark and name.strip()):
        raise UsageError(f"{text!r} is not of the form --rename KEY=NAME.")
    return key, name
