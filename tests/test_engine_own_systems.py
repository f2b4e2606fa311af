"""Systems of one's own score as the same system built in does, and their faults are states."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch

import own_bm25
import pytest
import scripted_server as scripted
from endpoint_workspaces import (
    ENVIRON,
    KEY,
    VARIABLE,
    files_holding,
    job_now,
    make_workspace,
    predictions,
    resume,
    run_named,
    scores,
    write_settings,
)
from scripted_server import Reply, ScriptedServer
from tiny_workspaces import TEXTS, question
from worker_here import work_here

from engine.doctor.providers import provider_findings
from engine.evaluate.new_run import NewRun
from engine.evaluate.run_job import Evaluate
from engine.evaluate.systems import systems
from engine.jobs.operation import Budget, dry_run, queue
from store.errors import InputError, UsageError
from store.hashing import text_id
from store.jobs.jobs import Job
from store.records import JobState, PauseReason
from store.runs import runs, stages
from store.runs.stages import ContextValue, RetrieveValue
from store.workspace import open_workspace

SOURCE = Path(own_bm25.__file__)
BONDS = text_id(TEXTS["en/bonds.md"])
ITEMS = {
    "a": question(),
    "b": question("基金涨了多少？", topic="funds"),
    "c": question("And then?", turns=3),
    "d": question("Which rate rose?"),
}
PROCESS = f"""
env = ["{own_bm25.FOLDER}"]
python = "{sys.executable}"
"""


def ask(folder: Path, system: str, budget: Budget = Budget()) -> Job:  # noqa: B008 - frozen
    with open_workspace(folder) as workspace, patch.dict(os.environ, ENVIRON):
        return queue(workspace, Evaluate(NewRun(system, "gold", name=system), budget=budget))


def work(folder: Path) -> None:
    work_here(folder, {**ENVIRON, own_bm25.FOLDER: str(folder)})


def test_each_kind_scores_as_the_same_system_built_in(tmp_path: Path) -> None:
    from msgspec.structs import replace

    items = {**ITEMS, "d": replace(ITEMS["d"], hidden=(BONDS,))}
    folder = make_workspace(tmp_path / "w", items)
    shutil.copy(SOURCE, folder / "mine.py")
    (folder / "mine.py").chmod(0o644)
    with own_bm25.Service(folder) as service:
        write_settings(
            folder,
            f'[systems.function]\nkind = "python"\nfunction = "mine:answer"{PROCESS}',
            '[systems.program]\nkind = "command"\n'
            f'command = ["{sys.executable}", "mine.py"]\nenv = ["{own_bm25.FOLDER}"]',
            f'[systems.service]\nkind = "http"\nurl = "{service.url}"\n'
            f'api_key_env = "{VARIABLE}"\nanswer = "/out/0/answer"\npassages = "/out/0/passages"\n'
            'usage = "/out/0/usage"\nprices = { input = 1, output = 2 }\n'
            'request = { question = "{question}", history = "{history}", top_k = "{top_k}",'
            ' hidden = "{hidden}", inner = ["for {question}"] }',
        )
        jobs = [ask(folder, name) for name in ("bm25", "function", "program", "service")]
        work(folder)
    assert {job_now(folder, job).state for job in jobs} == {JobState.DONE}
    built_in = scores(folder, "bm25")
    assert len(built_in) > 100
    for name in ("function", "program", "service"):
        assert scores(folder, name) == built_in, name
    first = next(asked for asked in service.asked if asked["question"] == "And then? (1)")
    assert first["history"] == [{"question": "And then? (0)", "answer": "3.5 percent"}]
    assert first["inner"] == ["for And then? (1)"]
    assert first["key"] == f"Bearer {KEY}"
    assert [BONDS, "en/bonds.md"] in [
        asked["hidden"][0] for asked in service.asked if asked["hidden"]
    ]
    with open_workspace(folder) as workspace:
        run = run_named(workspace, "service")
        assert runs.spent(workspace.db, run.id)[0] == 24 * 6
    assert files_holding(folder, KEY) == []


FAULTS = """
import json, sys, time
for line in sys.stdin:
    case = json.loads(line)
    what = case["question"].split()[0]
    result = {"answer": "3.5 percent", "passages": ["en/rates.md"]}
    if what == "hang":
        time.sleep(60)
    if what == "crash":
        sys.exit(1)
    if what == "garbage":
        print("Loading")
    if what == "number":
        result["answer"] = 5
    if what == "nothing":
        result["answer"] = " "
    if what == "missing":
        del result["answer"]
    if what == "passages":
        result["passages"] = {"0": "en/rates.md"}
    if what == "nameless":
        result["passages"] = [{"score": 1}]
    if what == "large":
        result["passages"] = ["x" * 16_000_000]
    if what == "long":
        result["answer"] = "x " * 60_000
    reply = {"id": case["id"], "result": result}
    if what == "error":
        reply = {"id": case["id"], "error": "no index here"}
    print(json.dumps(reply), flush=True)
"""
KINDS = {
    "hang": "timeout",
    "crash": "process_ended",
    "garbage": "bad_reply",
    "number": "bad_reply",
    "nothing": "empty_reply",
    "missing": "bad_reply",
    "passages": "bad_reply",
    "nameless": "bad_reply",
    "large": "bad_reply",
    "long": "bad_reply",
    "error": "raised",
}


def test_each_fault_of_a_program_is_a_state_and_never_an_answer(tmp_path: Path) -> None:
    items = {what: question(f"{what} it") for what in KINDS}
    fine = {f"fine {number}": question(f"fine {number}") for number in range(len(KINDS))}
    folder = make_workspace(tmp_path / "w", {**items, **fine})
    (folder / "faulty.py").write_text(FAULTS, "utf-8")
    write_settings(
        folder,
        f'[systems.own]\nkind = "command"\ncommand = ["{sys.executable}", "faulty.py"]\n'
        "timeout_s = 3",
    )
    job = ask(folder, "own")
    work(folder)
    if job_now(folder, job).state is JobState.PAUSED:  # eight in a row failed alike
        resume(folder, job)
        work(folder)
    rows = {row[0]: row[2:] for row in predictions(folder, "own")}
    assert {key: rows[key][2] for key in KINDS} == KINDS
    assert {rows[key][1] for key in KINDS} == {None}
    assert Counter(rows[key][1] for key in fine) == {"3.5 percent": len(KINDS)}
    assert {"error"} == {key for key in KINDS if "no index here" in str(rows[key][3])}


SERVER_FAULTS: dict[str, tuple[Reply, str]] = {
    "html": (scripted.html(), "bad_reply"),
    "malformed": (scripted.malformed(), "bad_reply"),
    "deep": (Reply(b"[" * 200_000), "bad_reply"),
    "status": (Reply({"detail": "broken"}, 500), "server"),
    "refused": (Reply({"detail": "no such field"}, 422), "bad_request"),
    "type": (Reply({"answer": ["3.5"]}), "bad_reply"),
    "hang": (scripted.hang(), "timeout"),
    "large": (Reply(b'"' + b"x" * 16_000_001 + b'"'), "bad_reply"),
}


def test_each_fault_of_a_service_is_a_state_and_never_an_answer(tmp_path: Path) -> None:
    fine = {f"fine {number}": question(f"fine {number}") for number in range(4)}
    folder = make_workspace(
        tmp_path / "w", {**{what: question(f"{what} it") for what in SERVER_FAULTS}, **fine}
    )
    seen: Counter[str] = Counter()

    def reply(request: scripted.Request) -> Reply:
        what = request.body["question"].split()[0]
        seen[what] += 1
        if what in SERVER_FAULTS:
            return SERVER_FAULTS[what][0]
        if seen["fine"] == 1:
            return scripted.rate_limited(retry_after_ms=20)
        return Reply({"answer": "3.5 percent", "passages": []})

    with ScriptedServer(reply=reply) as server:
        write_settings(
            folder,
            f'[systems.own]\nkind = "http"\nurl = "http://127.0.0.1:{server.port}/ask"\n'
            "timeout_s = 2\nattempts = 2",
        )
        ask(folder, "own")
        work(folder)
    rows = {row[0]: row[2:] for row in predictions(folder, "own")}
    assert {key: rows[key][2] for key in SERVER_FAULTS} == {
        key: kind for key, (_, kind) in SERVER_FAULTS.items()
    }
    assert {rows[key][1] for key in SERVER_FAULTS} == {None}
    assert {rows[key][1] for key in fine} == {"3.5 percent"}
    assert seen["fine"] == 5
    assert seen["status"] == 2


def test_a_service_that_redirects_ends_the_job_and_is_not_followed(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "w", {"a": question()})
    moved = Reply(None, 302, {"location": "http://127.0.0.1:9/elsewhere"})
    with ScriptedServer(default=moved) as server:
        table = f'[systems.own]\nkind = "http"\nurl = "http://127.0.0.1:{server.port}/ask"'
        write_settings(folder, table)
        job = ask(folder, "own")
        work(folder)
    failed = job_now(folder, job)
    assert failed.state is JobState.FAILED
    assert "It redirects to http://127.0.0.1:9/elsewhere" in str(failed.error)


def own_function(folder: Path, source: str, table: str = "") -> Path:
    (folder / "mine.py").write_text(source, "utf-8")
    (folder / "mine.py").chmod(0o644)
    write_settings(folder, f'[systems.own]\nkind = "python"\nfunction = "mine:answer"\n{table}')
    return folder


def stored(folder: Path, stage: str, kind: Any) -> list[Any]:
    with open_workspace(folder) as workspace:
        run = run_named(workspace, "own")
        numbers = workspace.db.execute(
            "SELECT id FROM prediction WHERE run_id = ? ORDER BY id", (run.id,)
        ).fetchall()
        return [stages.get(workspace.db, number, stage, kind) for (number,) in numbers]


def test_passages_are_matched_and_those_unmatched_keep_their_text(tmp_path: Path) -> None:
    given = [
        {"text": "prices fell  after\nthe rate"},
        {"id": "rates.md", "text": "Loans  cost more."},
        {"id": "elsewhere.html", "text": "A text of nobody's."},
    ]
    source = f"def answer(case): return {{'answer': 'x', 'passages': {given!r}}}"
    folder = own_function(make_workspace(tmp_path / "w", {"a": question()}), source)
    ask(folder, "own")
    work(folder)
    (hits,) = [value.hits for value in stored(folder, "retrieve", RetrieveValue)]
    bonds, rates = TEXTS["en/bonds.md"], TEXTS["en/rates.md"]
    assert bonds[hits[0].start : hits[0].end] == "prices fell after the rate"
    assert (hits[1].document_id, rates[hits[1].start : hits[1].end]) == (
        text_id(rates),
        "Loans cost more.",
    )
    assert (hits[2].document_id, hits[2].end) == ("elsewhere.html", 0)
    (read,) = [value.passages for value in stored(folder, "context/1/own", ContextValue)]
    assert [passage.text for passage in read] == [one["text"] for one in given]
    reasons = {row[8] for row in scores(folder, "own") if row[3] == "recall@1"}
    assert reasons == {"1 of 3 passages match no document of the corpus"}


def test_answers_are_shared_only_under_a_version(tmp_path: Path) -> None:
    source = "def answer(case): return {'answer': 'x'}"
    folder = own_function(make_workspace(tmp_path / "w", ITEMS), source)
    for table, calls in (("", (6, 0)), ('version = "1"\n', (6, 6))):
        own_function(folder, source, table)
        for name in ("first", "second"):
            with open_workspace(folder) as workspace:
                estimate = dry_run(workspace, Evaluate(NewRun("own", "gold")))
                expected = 0 if name == "first" else calls[1]
                assert (estimate.calls, estimate.cached) == (calls[0], expected)
                queue(workspace, Evaluate(NewRun("own", "gold", name=f"{name} {table[:4]}")))
            work(folder)
    own_function(folder, source + "  # changed", 'version = "1"\n')
    with open_workspace(folder) as workspace:
        assert dry_run(workspace, Evaluate(NewRun("own", "gold"))).cached == 0


def test_a_budget_pauses_it_and_no_stored_answer_is_asked_for_again(tmp_path: Path) -> None:
    source = (
        "from pathlib import Path\n"
        "def answer(case):\n"
        "    with Path(__file__).with_name('asked').open('a') as file: print('.', file=file)\n"
        "    return {'answer': 'x', 'usage': {'input_tokens': 400, 'output_tokens': 100}}"
    )
    folder = own_function(make_workspace(tmp_path / "w", ITEMS), source)
    job = ask(folder, "own", Budget(max_tokens=1_200))
    work(folder)
    paused = job_now(folder, job)
    assert (paused.state, paused.pause_reason) == (JobState.PAUSED, PauseReason.BUDGET)
    resume(folder, job, Budget(max_tokens=10_000))
    work(folder)
    assert job_now(folder, job).state is JobState.DONE
    assert (folder / "asked").read_text("utf-8").count(".") == 6


def test_a_function_that_cannot_be_loaded_ends_the_job_with_the_reason(tmp_path: Path) -> None:
    folder = own_function(make_workspace(tmp_path / "w", ITEMS), "import nothing_of_that_name")
    job = ask(folder, "own")
    work(folder)
    failed = job_now(folder, job)
    assert failed.state is JobState.FAILED
    assert "nothing_of_that_name" in str(failed.error)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('kind = "https"', "kind is 'https'.*Kinds: http, command, python"),
        ('kind = "http"', "url is ''"),
        ('kind = "http"\nurl = "ftp://x"', "url is 'ftp://x'"),
        ('kind = "http"\nurl = "http://a:b@x"', "credentials"),
        ('kind = "http"\nurl = "http://x"\nanswer = "out"', "no JSON pointer"),
        ('kind = "http"\nurl = "http://x"\nanswer = "/~2"', "no JSON pointer"),
        ('kind = "http"\nurl = "http://x"\nrequest = { q = "{qestion}" }', r"unknown slot \{qe"),
        ('kind = "http"\nurl = "http://x"\nrequest = { q = "x" }', "no slot"),
        ('kind = "http"\nurl = "http://x"\nrequest = { q = "a {history}" }', "within a text"),
        ('kind = "http"\nurl = "http://x"\napi_key_env = "sk-0123456789abcdefghij"', "variable"),
        ('kind = "http"\nurl = "http://x"\nfunction = "a:b"', "function does not go with"),
        ('kind = "http"\nurl = "http://x"\nretriever = "bm25"', "no key 'retriever'"),
        ('kind = "http"\nurl = "http://x"\nanswer = false\npassages = false', "neither"),
        ('kind = "http"\nurl = "http://x"\nattempts = 0', "attempts is 0"),
        ('kind = "http"\nurl = "http://x"\nlimits = { max_in_flight = 0 }', "max_in_flight is 0"),
        ('kind = "command"', "command is missing"),
        ('kind = "python"\nfunction = "mine"', "MODULE:FUNCTION"),
    ],
)
def test_a_table_that_describes_no_system_is_refused(
    tmp_path: Path, table: str, words: str
) -> None:
    write_settings(tmp_path, f"[systems.own]\n{table}")
    with pytest.raises(InputError, match=words):
        systems(tmp_path)


def test_settings_that_others_can_write_start_nothing(tmp_path: Path) -> None:
    write_settings(tmp_path, '[systems.own]\nkind = "command"\ncommand = ["true"]')
    (tmp_path / "ragdesk.toml").chmod(0o666)
    with pytest.raises(InputError, match="others can write"):
        systems(tmp_path)


def test_a_program_gets_its_request_as_json_with_an_id(tmp_path: Path) -> None:
    source = "import json\ndef answer(case): return {'answer': json.dumps(sorted(case))}"
    folder = own_function(make_workspace(tmp_path / "w", {"a": question()}), source)
    ask(folder, "own")
    work(folder)
    ((*_, said, _, _),) = predictions(folder, "own")
    assert json.loads(str(said)) == ["hidden", "history", "lang", "question", "top_k"]


def test_a_missing_key_is_reported_by_the_name_of_the_system(tmp_path: Path) -> None:
    folder = make_workspace(tmp_path / "w", {"q": question()})
    own_function(folder, "def answer(case): return {'answer': 'x'}")
    with (folder / "ragdesk.toml").open("a", encoding="utf-8") as file:
        file.write('[systems.keyed]\nkind = "http"\nurl = "http://127.0.0.1:9/"\n')
        file.write('api_key_env = "NO_SUCH_KEY"\n')
    with open_workspace(folder) as workspace:
        with pytest.raises(InputError, match=r"^System keyed: "):
            Evaluate(NewRun("keyed", "gold")).check(workspace)
        with pytest.raises(UsageError, match="and system own states none"):
            Evaluate(NewRun("own", "gold"), budget=Budget(max_cost=1.0)).check(workspace)


def test_doctor_says_what_a_system_lacks_and_what_it_answers(tmp_path: Path) -> None:
    folder = own_function(tmp_path, "def answer(case): return {'answer': case['question'][:4]}")
    with (folder / "ragdesk.toml").open("a", encoding="utf-8") as file:
        file.write('[systems.gone]\nkind = "command"\ncommand = ["no-such-program"]\n')
        file.write('[systems.keyed]\nkind = "http"\nurl = "http://127.0.0.1:9/"\n')
        file.write(f'api_key_env = "{VARIABLE}"\n')
    found = {one.name: one for one in provider_findings(folder, environ={"PATH": "/bin"})}
    states = {name: one.state for name, one in found.items()}
    assert states == {**states, "own": "ok", "gone": "broken", "keyed": "note"}
    assert "no-such-program" in found["gone"].detail
    assert VARIABLE in found["keyed"].detail
    asked = {one.name: one for one in provider_findings(folder, probe=True)}
    assert "answered 'What' with no passages" in asked["own"].detail
    assert (asked["gone"].state, asked["keyed"].state) == ("broken", "broken")
