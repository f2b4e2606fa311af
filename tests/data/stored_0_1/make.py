"""Makes the stored work in this folder. Run it with the version that is to be remembered:

    PYTHONPATH=tests python tests/data/stored_0_1/make.py

It works below `/stored`, through the command line wherever that can do it.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import lzma
import os
import random
import shutil
import signal
import sqlite3
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

import scripted_server as scripted
import stored_models
import stored_work
from scripted_server import Reply, Request, ScriptedServer
from stored_work import KEY_VARIABLE, PORT, rows

from engine.jobs.classify_job import queue_classify
from engine.jobs.generation_setup import Wanted, queue_generation
from engine.jobs.ingest_job import queue_ingest
from engine.jobs.inspect_job import queue_inspect
from engine.jobs.judge_launch import queue_judging
from engine.jobs.launch import JobBudget, queue_run
from engine.jobs.topics_job import queue_topics
from engine.labelling.session import Labelling
from engine.systems import find_system
from sample_corpus import ROOT
from store import datasets
from store.label_events import Subject
from store.records import ChunkingSettings, ItemState
from store.workspace import open_workspace
from tui.cli import main

PLACE = Path(stored_work.PLACE)
WORKSPACE = PLACE / "workspace"
SOURCES = PLACE / "sources"
HERE = Path(__file__).parent
TOPICS = ("retail_banking", "fund", "anti_money_laundering")
KEY = {KEY_VARIABLE: "sk-stored-0123456789abcdefghij"}
SETTINGS = """\
# the settings of a workspace in use
[providers.local]
base_url = "http://127.0.0.1:{port}/v1"
model = "scripted"
api_key_env = "{variable}"
max_tokens = 256
temperature = 0.2
seed = 7
timeout_s = 30
extra = {{ user = "ragdesk" }}
limits = {{ max_in_flight = 4, rpm = 60000 }}
prices = {{ input = 2.0, output = 8.0, currency = "CNY" }}

[providers.moody]
base_url = "http://127.0.0.1:{port}/moody/v1"
model = "scripted-moody"

[providers.refusing]
base_url = "http://127.0.0.1:{port}/refusing/v1"
model = "scripted-refusing"

[systems.refusing]
generator = "refusing"

[systems.bm25-model]
retriever = "bm25"
generator = "local"
top_k = 3
history = "predicted"
description = "BM25 and a model"

[systems.moody]
generator = "moody"

[systems.fine]
retriever = "hybrid:bm25+lsa*0.5"
chunk_size = 120
chunk_overlap = 20
chunk_unit = "tokens"
history = "questions"
top_k = 10

[judges.strict]
model = "local"
lang = "en"
repeats = 2
metrics = ["accuracy", "hallucination"]
prompts = "strict"
examples = "examples.jsonl"

[judges.plain]
model = "local"
"""
EXAMPLE = {
    "metric": "accuracy",
    "lang": "en",
    "question": "What is the ratio?",
    "golden_answers": ["7%"],
    "answer": "About 7%",
    "value": 2,
    "reason": "the number agrees",
}


def ragdesk(*words: object, code: int = 0) -> str:
    """A command on the workspace; its output."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        got = main(["--workspace", str(WORKSPACE), *map(str, words)])
    print("$ ragdesk", *words, "->", got, flush=True)
    if got != code:
        sys.exit(f"{out.getvalue()}\n{err.getvalue()}")
    return out.getvalue()


def write(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def write_lines(path: Path, lines: list[Any]) -> Path:
    return write(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def make_sources() -> None:
    for topic in TOPICS:
        shutil.copytree(ROOT / "documents" / topic, SOURCES / "documents" / topic)
        write(PLACE / "items" / f"{topic}.jsonl", (ROOT / "items" / f"{topic}.jsonl").read_bytes())
    notes = SOURCES / "notes"
    text = "岳川银行的网点今年关闭了三家，新开了两家，客户可以在手机上办理大部分业务。\n"
    write(notes / "branches.txt", text)
    write(notes / "branches-gb.txt", text.encode("gb18030"))
    write(notes / "chart.png", b"\x89PNG\r\n\x1a\n")
    lines = [{"_id": f"n{at}", "title": f"Note {at}", "text": note(at)} for at in range(6)]
    write(
        notes / "notes.jsonl",
        "".join(json.dumps(line) + "\n" for line in lines) + '{"text": broken\n',
    )
    write(notes / "rates.csv", "id,title,text,year\nr1,Rates,The rate was 3.5 percent.,2023\n")
    page = "<html><body><h1>Fees</h1><p>The fee is 36 pounds.</p></body></html>"
    write(notes / "page.html", page)
    more = PLACE / "sources" / "more"
    write(more / "late.md", "# A late document\n\nThe fund pays its income out in May each year.\n")
    write(more / "late.bin", b"\x00\x01\x02\x03")
    queries = ["What is the annual fee?", "基金的管理费率是多少？", "suspicious transactions"]
    write_lines(
        PLACE / "queries.jsonl",
        [{"id": str(at), "query": query} for at, query in enumerate(queries, 1)],
    )


def note(at: int) -> str:
    what = ("card", "deposit", "fund", "loan", "report", "audit")[at]
    return f"The {what} desk wrote note {at}: the {what} costs {at + 2}.5 percent in year {at}."


def bring_in() -> None:
    ragdesk(
        "ingest", SOURCES / "documents", "--corpus", "finance", "--chunk-size", 200,
        "--chunk-overlap", 30,
    )  # fmt: skip
    ragdesk(
        "ingest", SOURCES / "notes", "--corpus", "notes", "--unit", "chars", "--chunk-size", 80,
        "--chunk-overlap", 10,
    )  # fmt: skip
    with open_workspace(WORKSPACE) as workspace:
        job = queue_ingest(workspace, "notes", [SOURCES / "notes"])
    ragdesk("jobs", "resume", job.id)
    write(SOURCES / "notes" / "rates.csv", "id,title,text\nr1,Rates,The rate was 3.6 percent.\n")
    ragdesk("ingest", SOURCES / "notes", "--corpus", "notes")
    ragdesk("classify", "--corpus", "finance")
    items = [PLACE / "items" / f"{topic}.jsonl" for topic in TOPICS]
    ragdesk("import", "items", *items, "--corpus", "finance", "--dataset", "gold")
    ragdesk("split", "--dataset", "gold")
    three = ("train=5", "validation=1", "test=4")
    ragdesk("split", "--dataset", "gold", "--name", "three", "--sides", *three, "--seed", 3)
    for corpus, retriever in itertools.product(("finance", "notes"), stored_work.RETRIEVERS):
        ragdesk("search", "--corpus", corpus, "--retriever", retriever, "fee")


def build_topics_and_items() -> None:
    ragdesk("topics", "build", "--corpus", "finance", "--name", "built-by-words", "--count", 3)
    ragdesk(
        "topics", "build", "--corpus", "finance", "--name", "built-by-model", "--model", "local",
        "--domain", "finance", "--lang", "en", "--sample", 5, "--seed", 2, "--max-cost", 5,
    )  # fmt: skip
    ragdesk("topics", "prune", "built-by-model", "--as", "pruned", "--rename", "funds=Open funds")
    ragdesk("classify", "--corpus", "notes", "--taxonomy", "built-by-model", "--model", "local")
    ragdesk(
        "generate", "--corpus", "finance", "--dataset", "made", "--per-cell", 2, "--topics",
        "retail_banking", "fund", "--target", "fund/long_form=1", "--inspect",
    )  # fmt: skip
    ragdesk("generate", "--corpus", "finance", "--dataset", "made", "--per-cell", 3, "--topics",
            "retail_banking", "fund", "--tasks", "extractive", "multi_hop", "contrast")  # fmt: skip
    ragdesk(
        "generate", "--corpus", "finance", "--dataset", "written", "--per-cell", 2, "--topics",
        "anti_money_laundering", "--tasks", "extractive", "conversational", "--model", "local",
        "--max-tokens", 100000, "--max-cost", 9, "--inspect", "local",
    )  # fmt: skip
    settle()
    ragdesk("inspect", "--dataset", "written", "--model", "local", "--max-tokens", 50000, code=1)


def settle() -> None:
    """Waits until the worker has gone, and with it all that it does by itself."""
    busy = "SELECT (SELECT count(*) FROM job WHERE state IN ('queued', 'running'))"
    busy += " + (SELECT count(*) FROM worker)"
    while rows(WORKSPACE, busy) != [(0,)]:
        time.sleep(0.2)


def inspect_by_people() -> None:
    write(PLACE / "guideline.md", "看清楚再打分。\n")
    ragdesk("guideline", "set", PLACE / "guideline.md", "--rater", "wang")
    ragdesk(
        "sample", "draw", "look", "--dataset", "made", "--per-cell", 1, "--states", "drafted",
        "accepted", "needs_correction", "--raters-wanted", 2, "--raters", "wang", "li",
        "--repeats", 0.2,
    )  # fmt: skip
    subjects = places("look")
    for at, subject in enumerate(subjects[:8]):
        for rater in ("wang", "li"):
            score = 5 if at % 3 else (2 if rater == "li" else 4)
            ragdesk("labels", "set", subject, f"score={score}", "task=1", "--rater", rater)
        if at == 3:
            write(PLACE / "guideline.md", "看清楚再打分。先读文档。\n")
            ragdesk("guideline", "set", PLACE / "guideline.md", "--rater", "wang")
    ragdesk("adjudicate", "set", subjects[0], "score=4", "--rater", "zhao")
    ragdesk("sample", "draw", "alone", "--dataset", "made", "--per-cell", 3, "--states",
            "drafted", "accepted", "needs_correction")  # fmt: skip
    alone = [subject for subject in places("alone") if subject not in subjects]
    with open_workspace(WORKSPACE) as workspace:
        wang = Labelling(workspace, "inspection", "wang")
        for at, subject in enumerate(alone[:3]):
            shown = Subject("revision", subject)
            wang.set(shown, "score", 3, active_ms=4000)
            content = changed(workspace, subject)
            revision = wang.propose(shown, content, "the unit", active_ms=9000)
            if at == 0:
                wang.accept(shown, revision)
        wang.set(Subject("revision", alone[3]), "score", 1, active_ms=1500)
        wang.set(Subject("revision", alone[4]), "score", 5, active_ms=2500)
        wang.undo()
        wang.undo()
        wang.redo()
        wang.save_draft(Subject("revision", alone[5]), "correction/turns.0.question", "一半的问")
        wang.save_draft(Subject("revision", alone[5]), "correction/reason", "the year is")
        wang.reveal(Subject("revision", alone[4]), "verdict")
        wang.set(Subject("revision", alone[4]), "task", 0)
    ragdesk("labels", "note", alone[5], "--postpone", "on", "--rater", "li")
    ragdesk("labels", "note", alone[4], "--flag", "on", "--rater", "wang")
    ragdesk("labels", "note", alone[4], "--comment", "好题", "--rater", "wang")
    ragdesk("labels", "note", alone[6], "--comment", "unclear", "--field", "task", "--rater", "li")
    ragdesk("labels", "note", alone[7], "--exclude", "broken", "--rater", "li")
    ragdesk("release", "--dataset", "made", "--note", "first look")
    ragdesk("labels", "set", alone[6], "score=5", "--rater", "li")
    ragdesk("labels", "set", subjects[8], "score=1", "--rater", "wang")
    ragdesk("release", "--dataset", "made", "--note", "second look")
    ragdesk("release", "--dataset", "written", "--note", "by a model")
    ragdesk("sample", "close", "alone")


def changed(workspace: Any, subject: str) -> Any:
    import msgspec

    content = datasets.content(workspace.db, int(subject))
    turn = content.turns[0]
    asked = f"请问，{turn.question}" if content.lang == "zh" else f"Please say: {turn.question}"
    return msgspec.structs.replace(
        content, turns=(msgspec.structs.replace(turn, question=asked), *content.turns[1:])
    )


def places(sample: str) -> list[str]:
    query = (
        "SELECT subject FROM assignment JOIN sample ON sample.id = sample_id WHERE name = ?"
        " AND repeats IS NULL ORDER BY ordinal"
    )
    return [subject for (subject,) in rows(WORKSPACE, query, sample)]


def evaluate() -> None:
    for system in ("bm25", "lsa"):
        ragdesk("run", "--system", system, "--dataset", "gold")
    ragdesk("run", "--system", "bm25-model", "--dataset", "gold", "--max-tokens", 900000,
            "--max-cost", 50)  # fmt: skip
    ragdesk("run", "--system", "moody", "--dataset", "made@1", "--name", "moody")
    ragdesk("run", "--system", "fine", "--dataset", "made@1", "--name", "fine", "--seed", 4)
    ragdesk("run", "--system", "closed-book", "--dataset", "written", "--repeats", 2)
    ragdesk("run", "--system", "bm25", "--dataset", "made@1", "--name", "first-try")
    ragdesk("delete", "run", "first-try")
    ragdesk("import", "predictions", foreign_answers(), "--run", "theirs", "--dataset", "gold",
            "--system", "their-system")  # fmt: skip
    write_lines(
        PLACE / "scores.jsonl",
        [
            {"id": key, "turn": 0, "metric": "accuracy", "value": at % 3 if at % 5 else None}
            for at, key in enumerate(gold_keys()[:20])
        ],
    )
    ragdesk("import", "scores", PLACE / "scores.jsonl", "--run", "bm25-gold@1", "--judge", "else")
    ragdesk("judge", "bm25-gold@1", "--judge", "strict", "--max-cost", 50)
    ragdesk("judge", "lsa-gold@1", "--judge", "plain", "--metrics", "accuracy", "completeness")
    ragdesk("judge", "moody", "--judge", "plain", "--max-tokens", 500000)


def gold_keys() -> list[str]:
    query = (
        "SELECT item_key FROM item JOIN dataset ON dataset.id = dataset_id"
        " WHERE name = 'gold' ORDER BY item.id"
    )
    return [key for (key,) in rows(WORKSPACE, query)]


def foreign_answers() -> Path:
    """Answers of another system: right, wrong, refused, failed, or left out."""
    lines = []
    for at, key in enumerate(gold_keys()):
        line: dict[str, Any] = {"id": key}
        if at % 7 == 1:
            line |= {"refused": True, "answer": "I cannot say."}
        elif at % 7 == 2:
            line |= {"error": "it timed out"}
        elif at % 7 == 3:
            continue
        else:
            line |= {"answer": ("3.5 percent", "下降3.4%", "36 pounds")[at % 3]}
            line |= {"retrieved": ["heron_card.md", {"source": "larch_income.md", "score": 1.5}]}
        lines.append(line)
    return write_lines(PLACE / "theirs.jsonl", lines)


def label_answers() -> None:
    write(PLACE / "guideline.md", "Grade what the answer says, not how.\n")
    ragdesk("guideline", "set", PLACE / "guideline.md", "--form", "judge_labels", "--rater", "li")
    ragdesk(
        "sample", "draw", "judge-1", "--form", "judge_labels", "--run", "bm25-gold@1",
        "bm25-model-gold@1", "--metric", "accuracy", "--judge", "rules", "--per-cell", 4,
        "--raters-wanted", 2, "--repeats", 0.1,
    )  # fmt: skip
    draw = random.Random(5)
    with open_workspace(WORKSPACE) as workspace:
        sessions = {rater: Labelling(workspace, "judge_labels", rater) for rater in ("wang", "li")}
        for place in places("judge-1")[:-6]:
            subject = Subject("prediction", place)
            truth = rule_values(place)
            for session in sessions.values():
                barred = session.not_applicable(subject)
                for field, value in truth.items():
                    if field not in barred:
                        given = draw.choice((0, 1)) if draw.random() < 0.15 else value
                        session.set(subject, field, given, active_ms=1000 + draw.randrange(5000))
    left = places("judge-1")[-6:]
    common = ("--form", "judge_labels", "--rater")
    ragdesk("labels", "set", left[0], "accuracy=2", "completeness=-", *common, "li")
    ragdesk("labels", "note", left[0], "--comment", "no unit", "--field", "accuracy", *common, "li")
    ragdesk("labels", "note", left[1], "--flag", "on", *common, "li")
    ragdesk("labels", "note", left[2], "--postpone", "on", *common, "li")
    ragdesk("labels", "set", left[3], "accuracy=0", *common, "wang")
    ragdesk("labels", "undo", *common, "wang")
    ragdesk("labels", "undo", *common, "wang")
    ragdesk("labels", "redo", *common, "wang")
    listed = json.loads(
        ragdesk("adjudicate", "list", "--form", "judge_labels", "--rater", "zhao", "--json")
    )
    conflicts = listed if isinstance(listed, list) else listed["conflicts"]
    for conflict in conflicts[:3]:
        subject = conflict["subject"]
        number = subject["id"] if isinstance(subject, dict) else subject
        ragdesk("adjudicate", "set", number, f"{conflict['field']}=1", *common, "zhao")
    query = (
        "SELECT item_key FROM prediction JOIN revision ON revision.id = revision_id JOIN item ON"
        " item.id = item_id WHERE prediction.id = ?"
    )
    table = "run,item,turn,rater,accuracy,completeness\n"
    run = "SELECT run.name, turn FROM run JOIN prediction ON run_id = run.id"
    for place in places("judge-1")[:8]:
        name, turn = rows(WORKSPACE, f"{run} WHERE prediction.id = ?", int(place))[0]
        table += f"{name},{rows(WORKSPACE, query, int(place))[0][0]},{turn},chen,1,na\n"
    write(PLACE / "labels.csv", table)
    ragdesk("labels", "import", PLACE / "labels.csv", "--form", "judge_labels")
    ragdesk("train-judge", "ours")
    ragdesk("judge", "lsa-gold@1", "--judge", "ours")


def rule_values(prediction: str) -> dict[str, Any]:
    """What the rules say of an answer, as a person would write it."""
    found = rows(
        WORKSPACE,
        "SELECT metric.name, value FROM score JOIN metric ON metric.id = metric_id JOIN judge ON"
        " judge.id = judge_id WHERE judge.name = 'rules' AND prediction_id = ?",
        int(prediction),
    )
    return {metric: "na" if value is None else int(value) for metric, value in found}


def label_otherwise() -> None:
    """A sample of every other form, by two raters."""
    two = ("--raters-wanted", 2)
    ragdesk("sample", "draw", "pairs", "--form", "preference", "--run", "bm25-gold@1",
            "lsa-gold@1", "--per-cell", 1, *two)  # fmt: skip
    states = ("--states", "drafted", "accepted", "needs_correction", "corrected")
    drawn = {"reasonable": "written", "six_questions": "written", "authoring": "gold"}
    for form, dataset in drawn.items():
        ragdesk("sample", "draw", form, "--form", form, "--dataset", dataset, "--per-cell", 1,
                *states, *two)  # fmt: skip
    six = (
        "context_relevancy", "answer_relevancy", "answer_correctness",
        "key_sentence_completeness", "keypoint_relevancy", "keypoint_correctness",
    )  # fmt: skip
    for at, pair in enumerate(places("pairs")[:6]):
        for rater in ("wang", "li"):
            value = (at + (rater == "li" and at % 3 == 0)) % 3 - 1
            given = [f"{field}={value}" for field in ("correctness", "completeness", "overall")]
            ragdesk("labels", "set", pair, *given, "--form", "preference", "--rater", rater)
    for at, item in enumerate(places("reasonable")):
        for rater in ("wang", "li"):
            value = "refine" if rater == "li" and at == 1 else "reasonable"
            ragdesk("labels", "set", item, f"verdict={value}", "--form", "reasonable",
                    "--rater", rater)  # fmt: skip
    for at, item in enumerate(places("six_questions")):
        for rater in ("wang", "li"):
            given = [f"{field}={int(at != 1 or rater == 'li')}" for field in six]
            ragdesk("labels", "set", item, *given, "--form", "six_questions", "--rater", rater)
    with open_workspace(WORKSPACE) as workspace:
        zhao = Labelling(workspace, "authoring", "zhao")
        for item in places("authoring")[:4]:
            subject = Subject("revision", item)
            evidence = datasets.content(workspace.db, int(item)).turns[0].evidence[0]
            span = {
                "document_id": evidence.document_id, "start": evidence.start, "end": evidence.end,
            }  # fmt: skip
            zhao.set(subject, "modality", "text")
            zhao.set(subject, "hops", "single")
            zhao.set(subject, "spans", [span])
            zhao.set(subject, "vetting", "approved")
        zhao.save_draft(Subject("revision", places("authoring")[0]), "item/turns.0.question", "A")


def leave_work_half_done(server: ScriptedServer) -> None:
    """Jobs of every kind that stopped on the way, in every state that can go on."""
    paused = 3
    ragdesk("run", "--system", "bm25-model", "--dataset", "made@1", "--name", "bounded",
            "--max-tokens", 2500, code=paused)  # fmt: skip
    ragdesk("run", "--system", "bm25-model", "--dataset", "written", "--name", "dear",
            "--max-tokens", 90000, "--max-cost", 0.002, code=paused)  # fmt: skip
    ragdesk("judge", "bm25-model-gold@1", "--judge", "plain", "--max-cost", 0.01, code=paused)
    ragdesk("classify", "--corpus", "finance", "--taxonomy", "built-by-model", "--model", "local",
            "--max-tokens", 900, code=paused)  # fmt: skip
    ragdesk("generate", "--corpus", "finance", "--dataset", "bounded", "--per-cell", 3,
            "--topics", "fund", "--tasks", "extractive", "long_form", "--model", "local",
            "--max-tokens", 3000, "--inspect", "offline", code=paused)  # fmt: skip
    ragdesk("inspect", "--dataset", "gold", "--only-state", "accepted", "corrected", "--model",
            "local", "--max-tokens", 900, "--max-cost", 3, code=paused)  # fmt: skip
    server._reply = refuse
    ragdesk("run", "--system", "refusing", "--dataset", "written", "--name", "refused", code=1)
    settle()
    interrupted(server)
    with open_workspace(WORKSPACE) as workspace:
        queue_the_rest(workspace)
    for title in ("more into notes", "paused", "late-topics%", "by-words-later%"):
        steer("pause", title)
    steer("cancel", "cancelled")


def refuse(request: Request) -> Reply:
    return scripted.refused_key("sk-stored")


def interrupted(server: ScriptedServer) -> None:
    """A run whose worker was killed; the host has another name now."""
    hanging: list[int] = []

    def hang_later(request: Request) -> Reply | None:
        hanging.append(request.number)
        return stored_models.reply(request) if len(hanging) < 9 else scripted.hang()

    server._reply = hang_later
    ragdesk("run", "--system", "bm25-model", "--dataset", "made@1", "--name", "killed", "--detach",
            "--repeats", 2)  # fmt: skip
    while len(hanging) < 12:
        time.sleep(0.1)
    time.sleep(1.0)
    ((worker,),) = rows(WORKSPACE, "SELECT pid FROM worker")
    os.kill(worker, signal.SIGKILL)
    server._reply = stored_models.reply
    with contextlib.closing(sqlite3.connect(WORKSPACE / stored_work.DATABASE)) as db, db:
        db.execute("UPDATE worker SET host = 'elsewhere', pid = 1, lease_until = 1.0")
        db.execute("UPDATE job SET lease_until = 1.0 WHERE state = 'running'")


def queue_the_rest(workspace: Any) -> None:
    chars = ChunkingSettings(size=90, overlap=15, unit="chars")
    queue_ingest(workspace, "notes", [SOURCES / "more"])
    queue_ingest(workspace, "late", [SOURCES / "more", SOURCES / "notes"], chars)
    queue_classify(workspace, "notes", "omnieval", again=True)
    queue_classify(workspace, "finance", "pruned", model="local")
    queue_topics(workspace, "finance", "late-topics", count=4)
    queue_topics(
        workspace, "finance", "by-model-later", model="local", domain="银行", lang="zh",
        tasks_from="omnieval", count=5, sample=6, seed=9,
        budget=JobBudget(max_tokens=60000, max_cost=4.5),
    )  # fmt: skip
    queue_topics(workspace, "notes", "by-words-later", lang="en", count=2, tasks_from="crud")
    queue_generation(
        workspace, Wanted("finance", "late-items", 1, ("fund",), ("extractive", "multi_hop"))
    )
    queue_generation(
        workspace,
        Wanted(
            "finance", "late-written", 1, ("retail_banking",), ("extractive",), model="local",
            seed=3, targets=(("fund", "long_form", 1),),
        ),
        JobBudget(max_tokens=90000, max_cost=7.0),
        inspect_by="local",
    )  # fmt: skip
    queue_inspect(workspace, "gold", states=(ItemState.ACCEPTED,))
    queue_inspect(workspace, "gold", model="moody", states=(ItemState.ACCEPTED, ItemState.DRAFTED))
    release = datasets.find_release(workspace.db, "gold")
    queue_run(workspace, release, find_system(WORKSPACE, "bm25"), name="late-bm25")
    queue_run(workspace, release, find_system(WORKSPACE, "lsa"), name="cancelled", seed=2)
    queue_run(
        workspace, release, find_system(WORKSPACE, "bm25-model"), name="paused", repeats=2, seed=5,
        budget=JobBudget(max_tokens=800000, max_cost=90.5),
    )  # fmt: skip
    queue_judging(workspace, "fine", "ours", metrics=("accuracy",))
    queue_judging(workspace, "theirs", "rules")
    queue_judging(workspace, "fine", "strict", budget=JobBudget(max_tokens=10**6, max_cost=80.0))
    from engine.jobs.import_predictions import import_predictions

    import_predictions(
        workspace, PLACE / "theirs.jsonl", dataset="gold", run_name="late-theirs",
        system_name="their-system",
    )  # fmt: skip


def steer(request: str, title: str) -> None:
    query = (
        "SELECT job.id FROM job LEFT JOIN run ON run.id = run_id WHERE job.state = 'queued'"
        " AND (title LIKE ?1 OR run.name = ?1)"
    )
    for (job,) in rows(WORKSPACE, query, title):
        ragdesk("jobs", request, job)


def write_out() -> None:
    exports = PLACE / "exports"
    ragdesk("export", "items", "--dataset", "made", "--out", exports / "items")
    ragdesk("export", "judge", "--sample", "judge-1", "--rationale", "--soft-labels", "--out",
            exports / "judge")  # fmt: skip
    ragdesk("export", "beir", "--dataset", "made@1", "--out", exports / "beir")
    ragdesk("export", "omnieval", "--dataset", "made@1", "--out", exports / "omnieval")
    ragdesk("export", "parquet", "--dataset", "made@1", "--out", exports / "parquet")


def pack(name: str, *members: str, without: str = "") -> None:
    def kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if member.name == without else _anonymous(member)

    with tarfile.open(HERE / f"{name}.tar.xz", "w:xz", preset=9) as packed:
        for member in members:
            packed.add(PLACE / member, member, filter=kept)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def expect() -> dict[str, Any]:
    """What this version says of the stored work, and makes of the jobs that it left."""
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(tempfile.TemporaryDirectory())
        stored = stored_work.unpack(Path(place) / "stored", "workspace", "indexes")
        folder = stored / "workspace"
        built = {
            name: found[0]
            for name, found in stored_work.indexes(folder).items()
            if "/index/" in name
        }
        figures = stored_work.figures(folder, stored / "queries.jsonl")
        config = json.loads(rows(folder, "SELECT config FROM judge WHERE name = 'rules'")[0][0])
        codes = rows(
            folder,
            "SELECT DISTINCT json_extract(value, '$.code') FROM stage_result WHERE stage = 'score'",
        )
        manifest = json.loads(next(folder.glob("artefacts/index/*/manifest.json")).read_text())
        server = stack.enter_context(ScriptedServer(reply=stored_models.reply))
        stored_work.place_here(stored, server.port)
        stored_work.resume_all(folder)
        resumed = stored_work.results_of_jobs(folder)
        stored_work.end_worker(folder)
        backup = Path(place) / "backup"
        write(backup / stored_work.DATABASE, (PLACE / "backup.sqlite").read_bytes())
        engine = ROOT.parent / "engine"
        return {
            "constants": {
                "scoring code": [code for (code,) in codes],
                "rules": config,
                "index format": manifest["recipe"]["format"],
            },
            "shipped": {
                name: stored_work.shipped(engine / name)
                for name in ("prompts", "forms", "taxonomies")
            },
            "index files": built,
            "figures": figures,
            "resumed": resumed,
            "backup": stored_work.backup_figures(backup),
        }


def make() -> None:
    shutil.rmtree(PLACE, ignore_errors=True)
    make_sources()
    write(WORKSPACE / "ragdesk.toml", SETTINGS.format(port=PORT, variable=KEY_VARIABLE))
    write_lines(WORKSPACE / "examples.jsonl", [EXAMPLE])
    templates = ROOT.parent / "engine" / "prompts" / "en"
    for metric in ("accuracy", "hallucination"):
        text = (templates / "judge" / f"{metric}.txt").read_text("utf-8")
        write(
            WORKSPACE / "prompts" / "en" / "strict" / f"{metric}.txt",
            text.replace("[system]\n", "[system]\nBe strict.\n"),
        )
    text = (templates / "answer" / "general.txt").read_text("utf-8")
    own = text.replace("[system]\n", "[system]\nBe brief.\n")
    write(WORKSPACE / "prompts" / "en" / "answer" / "general.txt", own)
    os.environ |= KEY
    with ScriptedServer(reply=stored_models.reply, port=PORT) as server:
        bring_in()
        ragdesk("run", "--system", "bm25", "--dataset", "gold", "--name", "early")
        settle()
        ragdesk("backup", "--out", PLACE / "backup.sqlite")
        build_topics_and_items()
        inspect_by_people()
        evaluate()
        label_answers()
        label_otherwise()
        leave_work_half_done(server)
    write_out()
    with contextlib.closing(sqlite3.connect(WORKSPACE / stored_work.DATABASE)) as db:
        db.execute("DELETE FROM lease")
        db.commit()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("VACUUM")
    (WORKSPACE / "worker.log").unlink()
    for name in ("-wal", "-shm"):
        (WORKSPACE / f"{stored_work.DATABASE}{name}").unlink(missing_ok=True)
    pack_all()


def pack_all() -> None:
    indexes = "workspace/artefacts/index"
    pack("workspace", "workspace", "sources", "queries.jsonl", without=indexes)
    pack("indexes", indexes)
    pack("written", "exports", "backup.sqlite")
    write_expected()


def write_expected() -> None:
    expected = json.dumps(expect(), ensure_ascii=False, sort_keys=True)
    (HERE / "expected.json.xz").write_bytes(lzma.compress(expected.encode(), preset=9))


if __name__ == "__main__":
    make()
