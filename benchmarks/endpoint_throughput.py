"""Calls a second through the real worker against the bare openai client on the same transport.

A scripted server on loopback answers after 50 ms. Both sides ask it the same questions, 64 in
flight, in alternating pairs; the worker also scores every answer and stores every stage. A side's
clock runs from the first request that the server sees; the client's until its last reply, the
worker's until its job is done. Then: the same run again, which asks nobody; with --faults the
rate beside a server that refuses and fails now and then; with --judge the same for a model judge
of five metrics over as many answers; with --memory the worker's peak memory for ten times the
items.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from endpoint_workspaces import (  # noqa: E402
    make_workspace,
    provider_table,
    questions,
    queue,
    system_table,
    write_settings,
)

from engine.jobs import operation  # noqa: E402
from engine.judge.judge_job import JudgeRun  # noqa: E402
from store.workspace import FILE_NAME, open_workspace  # noqa: E402

TARGET, AIM, WARM_TARGET, MEMORY_TARGET_MB, FAULTS_TARGET = 0.7, 0.85, 10.0, 5.0, 0.6
ANSWER = "The rate rose to 3.5 percent."
VERDICT = '{"reason": "as the golden answer says", "value": 1}'
FAULTS = ("--p429", "0.05", "--p500", "0.01", "--retry-after", "1")


class Server:
    """The scripted server as a process of its own."""

    def __init__(self, latency_ms: float, faults: Sequence[str], text: str) -> None:
        command = [sys.executable, str(ROOT / "tests" / "scripted_server.py"), "--port", "0"]
        self._process = subprocess.Popen(
            [
                *command,
                *faults,
                "--latency-ms",
                f"{latency_ms}",
                "--text",
                text,
            ],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        found = re.search(r"http://\S+", self._process.stdout.readline())
        assert found is not None
        self.base_url = found[0]

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(self.base_url.removesuffix("/v1") + "/stats") as reply:
            return dict(json.loads(reply.read()))

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


@contextlib.contextmanager
def server(latency_ms: float, faults: Sequence[str] = (), text: str = ANSWER) -> Iterator[Server]:
    """A new server, so that its count and its clock begin at zero."""
    running = Server(latency_ms, faults, text)
    try:
        yield running
    finally:
        running.close()


class Worked(msgspec.Struct, frozen=True):
    seconds: float
    requests: int
    peak_mb: float


def through_worker(folder: Path, run: str, base_url: str, stats: Any) -> Worked:
    """Works the queued run `run`; `stats` is asked when it is done."""
    worker = subprocess.Popen(
        [sys.executable, "-P", "-m", "engine.jobs.worker", str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    )
    peak = 0.0
    while worker.poll() is None:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            status = Path(f"/proc/{worker.pid}/status").read_text()
            peaks = re.search(r"VmHWM:\s+(\d+)", status)
            peak = max(peak, int(peaks[1]) / 1024) if peaks else peak
        time.sleep(0.05)
    if worker.returncode:
        raise SystemExit(f"the worker ended with {worker.returncode}")
    told = stats()
    db = sqlite3.connect(folder / FILE_NAME)
    state, started, finished = db.execute(
        "SELECT state, started_at, finished_at FROM job ORDER BY id DESC LIMIT 1"
    ).fetchone()
    (scored,) = db.execute(
        "SELECT count(*) FROM stage_result JOIN prediction ON prediction.id = prediction_id"
        " JOIN run ON run.id = run_id WHERE run.name = ? AND stage = 'score'",
        (run,),
    ).fetchone()
    db.close()
    if state != "done" or not scored:
        raise SystemExit(f"run {run} is {state} with {scored} scored")
    begun = told["first_at"] or datetime.fromisoformat(started).timestamp()
    seconds = datetime.fromisoformat(finished).timestamp() - begun
    return Worked(seconds, told["requests"], peak)


async def _ask_all(base_url: str, requests: list[list[dict[str, str]]], in_flight: int) -> float:
    import httpx2
    import openai

    limits = httpx2.Limits(max_connections=4096)
    client = openai.AsyncOpenAI(
        api_key="none",
        base_url=base_url,
        max_retries=0,
        http_client=openai.DefaultAioHttpClient(limits=limits),
    )
    pending = iter(requests)

    async def ask() -> None:
        for messages in pending:
            reply = await client.chat.completions.create(
                model="scripted",
                messages=messages,  # type: ignore[arg-type]
                temperature=0.0,
            )
            assert reply.choices[0].message.content

    await asyncio.gather(*(ask() for _ in range(in_flight)))
    ended = time.time()
    await client.close()
    return ended


def messages_of(folder: Path, count: int) -> list[list[dict[str, str]]]:
    """The messages that the worker sent last, so that both sides send the same."""
    with open_workspace(folder) as workspace:
        rows = workspace.db.execute(
            "SELECT request FROM model_call ORDER BY created_at DESC LIMIT ?", (count,)
        )
        return [json.loads(request)["messages"] for (request,) in rows]


def bare(
    folder: Path, args: argparse.Namespace, base_url: str, stats: Any, calls: int | None = None
) -> float:
    """Seconds of the bare client, in a process of its own as the worker is."""
    options = {"--bare": base_url, "--calls": calls or args.calls, "--in-flight": args.in_flight}
    words = [str(word) for pair in options.items() for word in pair]
    made = subprocess.run(
        [sys.executable, __file__, *words, "--workspace", str(folder)],
        check=True,
        capture_output=True,
        text=True,
    )
    return float(made.stdout) - float(stats()["first_at"])


def new_workspace(folder: Path, args: argparse.Namespace, calls: int) -> Path:
    return make_workspace(folder, questions(calls))


def point_at(folder: Path, base_url: str, args: argparse.Namespace, *more: str) -> None:
    limit = {"limits.max_in_flight": args.in_flight, "api_key_env": ""}
    write_settings(
        folder,
        provider_table("loop", base_url, **limit),
        system_table("model", "loop", args.retriever),
        *more,
    )


def measure(
    folder: Path, name: str, args: argparse.Namespace, faults: Sequence[str] = ()
) -> Worked:
    """One cold run through the worker."""
    with server(args.latency_ms, faults) as running:
        point_at(folder, running.base_url, args)
        queue(folder, "model", name=name)
        return through_worker(folder, name, running.base_url, running.stats)


def compare(folder: Path, args: argparse.Namespace) -> tuple[float, float, Worked]:
    """Calls a second of the worker, its ratio to the bare client's, and its last run.

    Both are medians of the pairs.
    """
    ours, ratios = [], []
    for pair in range(args.pairs):
        worked = measure(folder, f"cold-{pair}", args)
        assert worked.requests == args.calls, worked
        ours.append(args.calls / worked.seconds)
        with server(args.latency_ms) as running:
            theirs = args.calls / bare(folder, args, running.base_url, running.stats)
        ratios.append(ours[-1] / theirs)
        print(f"  pair {pair + 1}: {ours[-1]:,.0f}/s against {theirs:,.0f}/s", flush=True)
    return statistics.median(ours), statistics.median(ratios), worked


def warm_rate(folder: Path, args: argparse.Namespace) -> float:
    """Predictions a second of a run whose every reply is in the cache."""
    with server(args.latency_ms) as running:
        point_at(folder, running.base_url, args)
        queue(folder, "model", name="warm-a")
        through_worker(folder, "warm-a", running.base_url, running.stats)
        queue(folder, "model", name="warm-b")
        before = running.stats()["requests"]
        again = through_worker(
            folder, "warm-b", running.base_url, lambda: {**running.stats(), "first_at": None}
        )
        assert running.stats()["requests"] == before, "a cached run asked the server"
        return args.calls / again.seconds


def beside_faults(folder: Path, args: argparse.Namespace) -> float:
    """The rate beside a server that refuses and fails now and then, as a share of the clean rate:
    the median of the pairs."""
    shares = []
    for pair in range(args.pairs):
        faulty = args.calls / measure(folder, f"faulty-{pair}", args, FAULTS).seconds
        clean = args.calls / measure(folder, f"clean-{pair}", args).seconds
        shares.append(faulty / clean)
        print(f"  pair {pair + 1}: {faulty:,.0f}/s against {clean:,.0f}/s", flush=True)
    return statistics.median(shares)


def judging(folder: Path, args: argparse.Namespace) -> tuple[float, float]:
    """Calls a second of a model judge of five metrics, and the ratio to the bare client's: the
    medians of the pairs."""
    # hallucination and utilization are asked only where something was retrieved
    args = argparse.Namespace(**{**vars(args), "retriever": "bm25"})
    measure(folder, "answered", args)
    ours, ratios = [], []
    for pair in range(args.pairs):
        # another temperature is another request, which no earlier reply answers
        judge = f'[judges.model]\nmodel = "loop"\ntemperature = {pair / 10}\n'
        with server(args.latency_ms, text=VERDICT) as running:
            point_at(folder, running.base_url, args, judge)
            with open_workspace(folder) as workspace:
                operation.queue(workspace, JudgeRun("answered", "model"))
            worked = through_worker(folder, "answered", running.base_url, running.stats)
        calls = worked.requests
        assert calls == 5 * args.calls, worked
        ours.append(calls / worked.seconds)
        with server(args.latency_ms, text=VERDICT) as running:
            theirs = calls / bare(folder, args, running.base_url, running.stats, calls)
        ratios.append(ours[-1] / theirs)
        print(f"  pair {pair + 1}: {ours[-1]:,.0f}/s against {theirs:,.0f}/s", flush=True)
    return statistics.median(ours), statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency-ms", type=float, default=50.0)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--retriever", help="default: closed-book")
    parser.add_argument("--faults", action="store_true", help="also with a server that fails")
    parser.add_argument("--judge", action="store_true", help="also a model judge of five metrics")
    parser.add_argument("--memory", action="store_true", help="also compare with ten times as many")
    parser.add_argument("--workspace", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--bare", metavar="BASE_URL", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.bare:
        requests = messages_of(args.workspace, args.calls)
        print(asyncio.run(_ask_all(args.bare, requests, args.in_flight)))
        return
    with tempfile.TemporaryDirectory() as made:
        folder = new_workspace(Path(made) / "workspace", args, args.calls)
        ours, ratio, worked = compare(folder, args)
        print(
            f"worker {ours:,.0f} calls/s, {ratio:.2f} x the bare client"
            f" (target {TARGET}, aim {AIM})"
        )
        print(f"peak memory of the worker {worked.peak_mb:.0f} MB")
        warm = warm_rate(folder, args)
        print(f"warm repeat {warm:,.0f}/s, {warm / ours:.1f} x cold (target {WARM_TARGET:g})")
        if args.faults:
            # a refused call waits for a second, which at the end of a short run is most of it
            longer = argparse.Namespace(**{**vars(args), "calls": 4 * args.calls})
            share = beside_faults(new_workspace(Path(made) / "longer", args, longer.calls), longer)
            print(
                f"with 5 % 429 (wait 1 s) and 1 % 500, {longer.calls:,} calls: {share:.2f} x"
                f" (target {FAULTS_TARGET})"
            )
        if args.judge:
            rate, ratio = judging(folder, args)
            print(f"judge {rate:,.0f} calls/s, {ratio:.2f} x the bare client (target {AIM})")
        if args.memory:
            big = new_workspace(Path(made) / "big", args, 10 * args.calls)
            grown = measure(big, "cold", args).peak_mb - worked.peak_mb
            print(
                f"peak memory for {10 * args.calls:,} items: {grown:+.1f} MB"
                f" (target {MEMORY_TARGET_MB:g})"
            )


if __name__ == "__main__":
    main()
