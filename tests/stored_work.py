"""Work that an earlier version stored: unpacking it, and what the present version says of it."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import signal
import socket
import sqlite3
import tarfile
import time
from pathlib import Path
from typing import Any

from tui.cli import main

DATA = Path(__file__).parent / "data" / "stored_0_1"
PLACE = "/stored"
"""Where the folder lay when the work was stored: jobs that read files name them from there."""
PORT = 18917
"""Of the scripted model that the work was stored with; nobody need listen there now."""
_THERE = f"127.0.0.1:{PORT}/"
KEY_VARIABLE = "RAGDESK_STORED_KEY"
DATABASE = "ragdesk.sqlite"
RATERS = ("wang", "li", "zhao", "chen")
FORMS = ("inspection", "judge_labels", "preference", "reasonable", "six_questions", "authoring")
TAXONOMIES = ("omnieval", "crud", "ekrag", "built-by-words", "built-by-model", "pruned")
METRICS = (
    ("f1", "standard"),
    ("f1", "omnieval"),
    ("rougeL", "standard"),
    ("recall@1", "standard"),
    ("mrr", "omnieval"),
    ("bleu", "crud"),
    ("accuracy", "standard"),
    ("hallucination", "standard"),
)
SHOWN_IN_FULL = ("bm25-gold@1", "moody")
RETRIEVERS = ("bm25", "bm25-okapi", "lsa")
_BY_THE_CLOCK = frozenset(
    {"at", "created_at", "started_at", "finished_at", "labels_an_hour", "per_hour", "remedy"}
)
_SCORES = (
    "SELECT run.name, item_key, turn, prediction.repeat, metric.name, variant, judge.name,"
    " score.repeat, score.state, value, score.reason FROM score"
    " JOIN prediction ON prediction.id = prediction_id JOIN run ON run.id = run_id"
    " JOIN revision ON revision.id = revision_id JOIN item ON item.id = item_id"
    " JOIN metric ON metric.id = metric_id JOIN judge ON judge.id = judge_id"
)


def unpack(target: Path, *names: str) -> Path:
    """What the archives `names` of the stored work hold, in a folder `target`; returns that."""
    for name in names:
        with tarfile.open(DATA / f"{name}.tar.xz") as packed:
            packed.extractall(target, filter="data")
    return target


def call(folder: Path, *words: str) -> tuple[int, str, str]:
    """A command on the workspace `folder`, in this process: exit code, output, messages."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["--workspace", str(folder), *words])
    return code, out.getvalue(), err.getvalue()


LATER_CHECKS = {"schema", "coverage", "sources", "releases", "trained judges"}


def told(folder: Path, *words: str) -> Any:
    """What a command says as JSON; it has to succeed."""
    code, out, err = call(folder, *words, "--json")
    assert code == 0, (words, code, err)
    value = json.loads(out)
    if words == ("verify",):
        # what later versions also check
        value["checks"] = [
            check
            for check in value["checks"]
            if check["name"] not in LATER_CHECKS and not check["name"].startswith("values of ")
        ]
    return value


def rows(folder: Path, query: str, *values: object) -> list[Any]:
    """Rows of the workspace's file, read without any code of ragdesk."""
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as db:
        return db.execute(query, values).fetchall()


def change(folder: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as db, db:
        for statement in statements:
            db.execute(statement)


def scores(folder: Path, where: str = "1") -> list[Any]:
    """Every score under names that two workspaces share, in a fixed order."""
    return rows(folder, f"{_SCORES} WHERE {where} ORDER BY 1, 2, 3, 4, 5, 6, 7, 8")


def place_here(stored: Path, port: int) -> None:
    """Lets unfinished jobs read files where they lie now, and ask a model at `port`."""
    folder = stored / "workspace"
    here = f"127.0.0.1:{port}/"
    for table, column in (("job", "params"), ("run", "settings"), ("generation", "settings")):
        change(
            folder,
            f"UPDATE {table} SET {column} ="
            f" replace(replace({column}, '\"{PLACE}/', '\"{stored}/'), '{_THERE}', '{here}')",
        )
    settings = folder / "ragdesk.toml"
    settings.write_text(settings.read_text("utf-8").replace(_THERE, here), "utf-8")


def resume_all(folder: Path) -> None:
    """Resumes every job that has not ended, with a larger bound where its own was used up."""
    query = "SELECT id, pause_reason FROM job WHERE state <> 'done' ORDER BY id"
    for job, reason in rows(folder, query):
        bounds = ("--max-tokens", "9000000", "--max-cost", "9000") if reason == "budget" else ()
        code, _, err = call(folder, "jobs", "resume", str(job), "--detach", *bounds)
        # a worker begins with the first, and may have ended a later one by now
        assert code == 0 or "is done" in err, (job, err)
    wait(folder)


def wait(folder: Path) -> None:
    """Waits until no job is queued or at work."""
    deadline = time.monotonic() + 120
    while rows(folder, "SELECT 1 FROM job WHERE state IN ('queued', 'running') LIMIT 1"):
        assert time.monotonic() < deadline, rows(folder, "SELECT id, kind, state FROM job")
        time.sleep(0.05)


def end_worker(folder: Path) -> None:
    """Ends the worker of a workspace before it has waited for more to do."""
    for pid, host in rows(folder, "SELECT pid, host FROM worker"):
        if host == socket.gethostname():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
    while rows(folder, "SELECT 1 FROM worker WHERE host = ?", socket.gethostname()):
        time.sleep(0.05)


def results_of_jobs(folder: Path) -> dict[str, Any]:
    """What all jobs have made of a workspace, as far as it does not hang on their order."""
    queries = {
        "jobs": "SELECT kind, title, state, error FROM job",
        "runs": "SELECT run.name, prediction.state, count(*), sum(answer IS NOT NULL),"
        " sum(length(coalesce(answer, ''))) FROM prediction JOIN run ON run.id = run_id"
        " GROUP BY 1, 2",
        "scores": "SELECT run.name, judge.name, score.state, count(*) FROM score JOIN prediction"
        " ON prediction.id = prediction_id JOIN run ON run.id = run_id JOIN judge ON"
        " judge.id = judge_id GROUP BY 1, 2, 3",
        "items": "SELECT dataset.name, item.state, topic, task, count(*) FROM item JOIN dataset ON"
        " dataset.id = dataset_id JOIN revision ON revision.id = head GROUP BY 1, 2, 3, 4",
        "inspections": "SELECT job.title, inspector, inspection.state, evaluation, count(*) FROM"
        " inspection JOIN job ON job.id = job_id GROUP BY 1, 2, 3, 4",
        "topics": "SELECT taxonomy_key, topic, count(*) FROM document_topic GROUP BY 1, 2",
        "taxonomies": "SELECT name, content_hash FROM taxonomy_name JOIN taxonomy ON"
        " taxonomy.id = taxonomy_id",
        "documents": "SELECT corpus.name, document_id, locator, title FROM source JOIN corpus ON"
        " corpus.id = corpus_id JOIN document ON document.id = document"
        " WHERE superseded_at IS NULL",
    }
    found = {name: sorted(rows(folder, query), key=repr) for name, query in queries.items()}
    return json.loads(json.dumps(found))


def shipped(root: Path) -> dict[str, str]:
    """Hash of every prompt, form and taxonomy below `root`, by the end of its path."""
    return {
        "/".join(path.parts[-3:]): _sha256(path.read_bytes())
        for kind in ("*.txt", "*.json")
        for path in sorted(root.rglob(kind))
    }


def indexes(folder: Path) -> dict[str, list[object]]:
    """Hash and time of writing of every file below `artefacts`; an index built again has others.
    What says which files were whole when is left out."""
    return {
        path.relative_to(folder).as_posix(): [_sha256(path.read_bytes()), path.stat().st_mtime_ns]
        for path in sorted((folder / "artefacts").rglob("*"))
        if path.is_file() and path.parent.name != "verified"
    }


def digest(values: object) -> str:
    return _sha256(json.dumps(values, ensure_ascii=False, sort_keys=True).encode())


def figures(folder: Path, queries: Path) -> dict[str, Any]:
    """All that the command line and the file say of a workspace, but for times."""
    said: dict[str, Any] = {}

    def ask(*words: str) -> None:
        said[" ".join(words)] = without_times(told(folder, *words))

    for words in ("verify", "corpora --all", "datasets --all", "runs --all", "systems", "judges"):
        ask(*words.split())
    ask("jobs", "list", "--all")
    for job in {one["kind"]: one["id"] for one in said["jobs list --all"]["jobs"]}.values():
        ask("jobs", "show", str(job))
    ask("sample", "list", "--all")
    for form in FORMS:
        ask("labels", "progress", "--form", form, "--rater", "nobody")
        ask("agree", "--form", form)
        ask("adjudicate", "list", "--form", form, "--rater", "nobody")
        code, out, _ = call(folder, "guideline", "show", "--form", form)
        said[f"guideline show --form {form}"] = [code, out]
    for by in ("rater", "cell", "model"):
        ask("labels", "statistics", "--by", by, "--rater", "nobody")
    ask("agree", "--form", "judge_labels", "--by", "pair")
    ask("calibrate")
    finished = [
        name
        for (name,) in rows(
            folder,
            "SELECT name FROM run WHERE archived_at IS NULL AND NOT EXISTS (SELECT 1 FROM"
            " prediction LEFT JOIN stage_result ON prediction_id = prediction.id AND"
            " stage = 'score' WHERE run_id = run.id AND state = 'ok' AND stage IS NULL)"
            " AND NOT EXISTS (SELECT 1 FROM prediction WHERE run_id = run.id AND state = 'pending')"
            " ORDER BY id",
        )
    ]
    for run in finished:
        for metric, variant in METRICS if run in SHOWN_IN_FULL else METRICS[:1]:
            ask("matrix", run, "--metric", metric, "--variant", variant, *_judged(metric))
    ask("compare", *finished[:2], "--metric", "f1")
    ask("leaderboard", *finished[:3], "--metric", "f1")
    for corpus in ("finance", "notes"):
        for retriever in RETRIEVERS:
            words = ("search", "--corpus", corpus, "--retriever", retriever, "--k", "5")
            code, out, err = call(folder, *words, "--queries", str(queries))
            said[" ".join(words)] = [code, err, [json.loads(line) for line in out.splitlines()]]
    for taxonomy in TAXONOMIES:
        ask("topics", "list", "--taxonomy", taxonomy)
    ask("topics", "list", "--corpus", "finance")
    return json.loads(json.dumps({"commands": said, "file": _in_file(folder)}))


def backup_figures(folder: Path) -> dict[str, Any]:
    """What is said of the backup, which holds one run."""
    said = {
        words: without_times(told(folder, *words.split()))
        for words in ("verify", "runs", "datasets", "corpora", "matrix early --metric f1")
    }
    return json.loads(json.dumps({**said, "scores": digest(scores(folder))}))


def _judged(metric: str) -> tuple[str, ...]:
    return ("--judge", "rules") if metric in ("accuracy", "hallucination") else ()


def _in_file(folder: Path) -> dict[str, Any]:
    """Identities and counts as they stand in the file; texts and scores as hashes."""
    tables = rows(folder, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return {
        "rows": {
            name: rows(folder, f"SELECT count(*) FROM {name}")[0][0]
            for (name,) in tables
            if name not in ("worker", "lease", "sqlite_sequence", "_sqlite_migrations")
        },
        "systems": rows(folder, "SELECT name, config_hash FROM system ORDER BY id"),
        "judges": rows(folder, "SELECT id, name, config_hash FROM judge ORDER BY id"),
        "forms": rows(folder, "SELECT key, version, content_hash FROM form ORDER BY id"),
        "taxonomies": rows(folder, "SELECT key, content_hash FROM taxonomy ORDER BY id"),
        "prompts": rows(folder, "SELECT hash, id, lang FROM prompt ORDER BY hash"),
        "runs": [
            [name, _sha256(settings.encode())]
            for name, settings in rows(folder, "SELECT name, settings FROM run ORDER BY id")
        ],
        "jobs": rows(folder, "SELECT id, kind, state, run_id FROM job ORDER BY id"),
        "job events": digest(
            rows(folder, "SELECT job_id, kind, text FROM job_event WHERE kind <> 'traceback'")
        ),
        "model calls": rows(folder, "SELECT key FROM model_call ORDER BY key"),
        "scores": digest(scores(folder)),
        "answers": digest(
            rows(
                folder,
                "SELECT run_id, revision_id, turn, repeat, state, answer, error_kind, error_text"
                " FROM prediction ORDER BY id",
            )
        ),
        "revisions": rows(folder, "SELECT id, item_id, content_hash FROM revision ORDER BY id"),
        "items": rows(folder, "SELECT id, item_key, state, head FROM item ORDER BY id"),
        "labels": digest(
            rows(
                folder,
                "SELECT seq, rater, form_id, subject_kind, subject, field, value, kind, undoes,"
                " origin, guideline FROM label_event ORDER BY seq",
            )
        ),
        "drafts": rows(
            folder, "SELECT rater, form_key, subject, field, text FROM draft ORDER BY 5"
        ),
        "statuses": rows(
            folder, "SELECT form_key, subject, rater, status FROM label_status ORDER BY 1, 2, 3"
        ),
        "sides": rows(
            folder, "SELECT split_id, member, side FROM split_member ORDER BY split_id, member"
        ),
        "refused sources": rows(
            folder, "SELECT job_id, text FROM job_event WHERE kind = 'refused' ORDER BY id"
        ),
    }


def without_times(said: Any) -> Any:
    """What a command said, without what the clock decides."""
    if isinstance(said, dict):
        return {
            name: without_times(value) for name, value in said.items() if name not in _BY_THE_CLOCK
        }
    if isinstance(said, list):
        return [without_times(one) for one in said]
    return said


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
