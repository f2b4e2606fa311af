"""Code of users in a process apart: what it gives, and every way in which it gives nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.plugins.calling import CallFailed, CallLimits, Fault, Host, python_host

SOURCE = """
import os, sys, time
def judge(case):
    what = case["question"]
    print("not an answer")
    sys.stdout.write("nor this")
    if what == "raise":
        return 1 / 0
    if what == "sleep":
        time.sleep(60)
    if what == "exit":
        os._exit(1)
    if what == "system exit":
        sys.exit("bye")
    if what == "memory":
        return len(bytearray(2_000_000_000))
    if what == "long":
        return "x" * 2_000_000
    if what == "environment":
        return sorted(os.environ)
    return {"said": what}
"""


def file_host(source: str, timeout_s: float) -> Host:
    load = {"file": "mine.py", "source": source, "name": "judge"}
    return python_host(load, CallLimits(timeout_s, 512))


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    opened = python_host(
        {"file": "mine.py", "source": SOURCE, "name": "judge"}, CallLimits(60.0, 512)
    )
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("raise", r"ZeroDivisionError: .* \(line 8\)"),
        ("exit", "its process ended"),
        ("system exit", "SystemExit: bye"),
        ("memory", "MemoryError"),
        ("long", "too long"),
    ],
)
def test_a_call_that_fails_says_why_and_the_next_is_answered(
    host: Host, what: str, words: str
) -> None:
    with pytest.raises(CallFailed, match=words):
        host.call({"question": what})
    assert host.call({"question": "数字"}) == {"said": "数字"}


def test_a_call_that_takes_too_long_is_ended(host: Host) -> None:
    slow = file_host(SOURCE, 0.2)
    with pytest.raises(CallFailed, match=r"no result after 0\.2 s"):
        slow.call({"question": "sleep"})
    slow.close()


def test_the_process_has_no_keys(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    host.close()
    names = host.call({"question": "environment"})
    assert "PYTHONHASHSEED" in names
    assert "OPENAI_API_KEY" not in names


@pytest.mark.parametrize("source", ["def judge(case:", "x = 1", "1 / 0"])
def test_a_file_that_cannot_be_loaded_fails_each_call_with_the_reason(source: str) -> None:
    broken = python_host(
        {"file": "mine.py", "source": source, "name": "judge"}, CallLimits(60.0, 512)
    )
    for _ in range(2):
        with pytest.raises(CallFailed, match=r"SyntaxError|defines no function|ZeroDivision"):
            broken.call({})


PROGRAM = """
import json, sys, time
for line in sys.stdin:
    case = json.loads(line)
    what, id = case["what"], case["id"]
    reply = {"id": id, "result": what}
    if what == "garbage":
        print("Loading the model ...", flush=True)
    if what == "shifted":
        print(json.dumps({"id": id - 1, "result": "of another call"}), flush=True)
    if what == "list":
        reply = [1]
    if what == "neither":
        reply = {"id": id}
    if what == "error":
        reply = {"id": id, "error": "no index"}
    if what == "long":
        reply["result"] = "x" * 3_000_000
    if what == "deep":
        print("[" * 200_000, flush=True)
    if what == "half":
        reply["result"] = {"answer": chr(0xD800)}
    if what == "exit":
        sys.exit(3)
    if what == "sleep":
        time.sleep(60)
    print(json.dumps(reply), flush=True)
"""


@pytest.mark.parametrize(
    ("what", "fault", "words"),
    [
        ("garbage", Fault.UNREADABLE, "no JSON: 'Loading"),
        ("shifted", Fault.UNREADABLE, "no object with id"),
        ("list", Fault.UNREADABLE, "no object with id"),
        ("neither", Fault.UNREADABLE, "neither result nor error"),
        ("error", Fault.RAISED, "no index"),
        ("long", Fault.UNREADABLE, "longer than 1,048,576 bytes"),
        ("deep", Fault.UNREADABLE, "no JSON: '\\["),
        ("half", Fault.UNREADABLE, r"no JSON: .*\\ud800"),
        ("exit", Fault.ENDED, "status 3"),
    ],
)
def test_whatever_a_program_does_is_a_fault_of_that_call(
    program: Host, what: str, fault: Fault, words: str
) -> None:
    with pytest.raises(CallFailed, match=words) as failed:
        program.call({"what": what})
    assert failed.value.fault is fault
    assert program.call({"what": "答"}) == "答"


@pytest.fixture(scope="module")
def program() -> Iterator[Host]:
    opened = Host([sys.executable, "-c", PROGRAM], CallLimits(60.0, 512))
    yield opened
    opened.close()


def test_a_program_that_takes_too_long_is_a_fault_of_that_call() -> None:
    slow = Host([sys.executable, "-c", PROGRAM], CallLimits(3.0, 512))
    with pytest.raises(CallFailed, match="no result after 3 s") as failed:
        slow.call({"what": "sleep"})
    assert failed.value.fault is Fault.LATE
    assert slow.call({"what": "答"}) == "答"
    slow.close()


def test_a_program_that_reads_nothing_does_not_hold_up_its_caller() -> None:
    deaf = Host([sys.executable, "-c", "import time; time.sleep(60)"], CallLimits(0.3, 512))
    with pytest.raises(CallFailed, match="no result"):
        deaf.call({"what": "x" * 300_000})
    deaf.close()


def test_a_program_that_cannot_be_started_says_so() -> None:
    with pytest.raises(CallFailed, match="none/such cannot be started") as failed:
        Host(["/none/such"], CallLimits(1.0, 512)).call({})
    assert failed.value.fault is Fault.NOT_STARTED


def test_a_function_is_imported_from_a_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import json\ndef answer(case): return case", "utf-8")
    load = {"module": "mine", "name": "answer", "folder": str(tmp_path)}
    host = python_host(load, CallLimits(60.0, 512))
    assert host.call({"question": "?"}) == {"question": "?"}
    host.close()
    missing = python_host({**load, "name": "ask"}, CallLimits(60.0, 512))
    with pytest.raises(CallFailed, match=r"mine defines no function ask") as failed:
        missing.call({})
    assert failed.value.fault is Fault.NOT_STARTED
