"""Commands on corpora: ingest, search, corpora."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from store.errors import UsageError
from store.messages import plural
from tui.cli.command import command, option
from tui.cli.options import ALL, CHUNKING, FOLLOW_LINKS, FORCE, chunking_settings, workspace_of
from tui.cli.output import (
    ProgressLine,
    print_json,
    print_line,
    print_list,
    print_table,
    say,
    say_first,
    tell,
    write_result,
)
from tui.language import read, tr

if TYPE_CHECKING:
    from engine.corpus.ingest import IngestReport
    from store.corpora.corpora import Corpus
    from store.records import Hit
    from store.workspace import Workspace

SHOWN_REFUSALS = 20


@command(
    "ingest",
    "read files and folders into a corpus",
    option("PATH...", "files and folders to read", dest="paths"),
    option("--corpus NAME", "corpus to read into; made if missing", required=True),
    FOLLOW_LINKS,
    *CHUNKING,
    example="documents/ --corpus finance",
)
def ingest(arguments: argparse.Namespace) -> int:
    from engine.corpus.ingest import ingest as read_in
    from engine.corpus.readers import ReadOptions, read_paths

    line = ProgressLine()
    begin = time.monotonic()

    def progress(report: IngestReport) -> None:
        rate = report.seen / max(time.monotonic() - begin, 1e-3)
        line.show(f"{read(plural(report.seen, 'document'))}, {rate:,.0f}/s")

    options = ReadOptions(follow_links=arguments.follow_links)
    # what cannot be read must leave neither an empty workspace nor an empty corpus behind
    documents = read_paths(arguments.paths, options)
    with workspace_of(arguments, create=True) as workspace:
        report = read_in(
            workspace,
            arguments.corpus,
            documents,
            chunking_settings(arguments),
            progress,
        )
        line.end()
        show_ingest(arguments, workspace, report)
    return 1 if report.refusals and not report.seen else 0


def show_ingest(arguments: argparse.Namespace, workspace: Workspace, report: IngestReport) -> None:
    """Prints what came in, what was refused and why."""
    from store.corpora import corpora

    counts = corpora.counts(workspace.db, corpora.get(workspace.db, arguments.corpus))
    if arguments.json:
        print_json({"corpus": arguments.corpus, "report": report, "counts": counts})
        return
    for warning in report.warnings:
        tell("warning: {warning}", warning=warning)
    refused = [
        tr(
            "refused: {path}{locator}: {reason}",
            path=item.path,
            locator=f", {item.locator}" if item.locator else "",
            reason=item.reason,
        )
        for item in report.refusals
    ]
    say_first(refused, SHOWN_REFUSALS, tr("refused: {} more (all of them with --json)"))
    print_line(
        "{added} added, {edited} edited, {unchanged} unchanged, {superseded} "
        "superseded, {refused} refused",
        added=report.added,
        edited=report.edited,
        unchanged=report.unchanged,
        superseded=report.superseded,
        refused=len(report.refusals),
    )
    print_line(
        "corpus {corpus}: {documents}, {chunks}, {tokens}",
        corpus=arguments.corpus,
        documents=plural(counts.documents, "document"),
        chunks=plural(counts.chunks, "chunk"),
        tokens=plural(counts.tokens, "token"),
    )


@command(
    "search",
    "search a corpus",
    option("[QUERY]", "text to search for; or give --queries"),
    option("--corpus NAME", "corpus to search", required=True),
    option(
        "--retriever NAME",
        "bm25 (default), bm25-okapi, lsa, an embedding of ragdesk.toml, or hybrid:bm25+NAME",
        "bm25",
    ),
    option(
        "--reranker NAME",
        "a reranker of ragdesk.toml; may be repeated for further stages",
        action="append",
    ),
    option(
        "--rerank-depth N", "number of chunks that the reranker reads (default 50)", action="append"
    ),
    option("--k N", "number of hits per query (default 10)", 10),
    option(
        "--by",
        "rank documents, each by its best chunk, or chunks (default document)",
        "document",
        choices=("document", "chunk"),
    ),
    option("--queries FILE", 'file of queries, lines {"id", "query"}'),
    option("--out FILE", 'file for the hits of --queries, lines {"id", "hits"}'),
    FORCE,
    example='--corpus finance "What is the annual fee?"',
)
def search(arguments: argparse.Namespace) -> int:
    from engine.retrieve.pipeline import open_retriever
    from engine.retrieve.search import search_documents
    from engine.retrieve.settings import find_retrieval, neural_settings
    from store.corpora import corpora

    if (arguments.query is None) == (arguments.queries is None):
        raise UsageError("Give either a QUERY or --queries FILE.")
    if arguments.k < 1:
        raise UsageError(f"--k is {arguments.k}.", "Use 1 or more.")
    queries = _queries(arguments)
    line = ProgressLine()
    with workspace_of(arguments) as workspace:
        corpus = corpora.get(workspace.db, arguments.corpus)
        retriever = open_retriever(
            workspace,
            corpus,
            find_retrieval(
                neural_settings(workspace.folder),
                arguments.retriever,
                arguments.reranker,
                arguments.rerank_depth,
            ),
            progress=lambda stage, done, total: line.show(
                tr("index: {stage} {done:,}/{total:,}", stage=stage, done=done, total=total)
            ),
            notify=say,
        )
        line.end()
        texts = [query for _, query in queries]
        if arguments.by == "document":
            rankings = search_documents(retriever, texts, arguments.k)
        else:
            rankings = retriever.search(texts, arguments.k)
        names = corpora.source_names(workspace.db, corpus)
        answers = [
            {"id": id, "hits": [_hit(hit, names) for hit in hits]}
            for (id, _), hits in zip(queries, rankings, strict=True)
        ]
        if arguments.json and arguments.out is None:
            print_json(answers[0] if arguments.queries is None else {"queries": answers})
        elif arguments.queries is not None:
            text = "".join(json.dumps(answer, ensure_ascii=False) + "\n" for answer in answers)
            write_result(arguments, text)
            if arguments.json:
                print_json({"out": str(arguments.out), "queries": len(answers)})
        else:
            _show_hits(workspace, corpus, rankings[0], names)
    return 0


def _queries(arguments: argparse.Namespace) -> list[tuple[str, str]]:
    if arguments.queries is None:
        return [("1", arguments.query)]
    from engine.retrieve.search import SearchQuery
    from store.formats.jsonl import read_jsonl

    return [(query.id, query.query) for _, query in read_jsonl(arguments.queries, SearchQuery)]


def _hit(hit: Hit, names: dict[str, str]) -> dict[str, Any]:
    return {
        "document_id": hit.document_id,
        "chunk_id": hit.chunk_id,
        "source": names[hit.document_id],
        "score": hit.score,
    }


def _show_hits(
    workspace: Workspace, corpus: Corpus, hits: Sequence[Hit], names: dict[str, str]
) -> None:
    from engine.text.wrapping import truncate
    from store.corpora import corpora

    documents = corpora.documents_by_id(workspace.db, corpus, (hit.document_id for hit in hits))
    rows = []
    for rank, hit in enumerate(hits, 1):
        text = " ".join(documents[hit.document_id].text[hit.start : hit.end].split())
        rows.append((str(rank), f"{hit.score:.3f}", names[hit.document_id], truncate(text, 60)))
    if rows:
        print_table(("rank", "score", "source", "text"), rows)
    else:
        tell("Nothing found.")


@command("corpora", "list the corpora", ALL, example="--all")
def list_corpora(arguments: argparse.Namespace) -> int:
    from store.corpora import corpora

    with workspace_of(arguments) as workspace:
        rows = [
            _corpus_row(workspace, corpus)
            for corpus in corpora.listing(workspace.db, archived=arguments.all)
        ]
    return print_list(
        arguments,
        "corpora",
        rows,
        ("name", "documents", "chunks", "tokens"),
        empty=tr("No corpus yet. Make one: ragdesk ingest PATH --corpus NAME"),
    )


def _corpus_row(workspace: Workspace, corpus: Corpus) -> dict[str, object]:
    from store.corpora import corpora
    from store.lifecycle import archiving

    counts = corpora.counts(workspace.db, corpus)
    return {
        "name": corpus.name,
        "documents": counts.documents,
        "chunks": counts.chunks,
        "tokens": counts.tokens,
        "archived": archiving.hidden_by(workspace.db, "corpus", corpus.id) is not None,
    }


COMMANDS = (ingest, search, list_corpora)
