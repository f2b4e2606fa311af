"""Killed or hung up at any moment, a rater loses no label that was shown as saved."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from labelling_workspaces import assignments, make_drafts, new_workspace

from store.labels.samples import samples
from store.verify import verify
from store.workspace import open_workspace

ITEMS = 400


def start(folder: Path, seed: int, output: Path) -> subprocess.Popen[bytes]:
    script = Path(__file__).with_name("labelling_process.py")
    with output.open("wb") as out:
        return subprocess.Popen(
            [sys.executable, str(script), str(folder), f"rater{seed % 2}", str(seed)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=out,
        )


def killed_at_random(folder: Path, how: signal.Signals, times: int) -> int:
    """Ends a rater's process so often; returns how many labels had been shown as saved."""
    draw = random.Random(how * 1000 + times)
    acknowledged: set[int] = set()
    for seed in range(times):
        output = folder / f"seen{seed}"
        process = start(folder, seed, output)
        deadline = time.monotonic() + 300
        while not output.stat().st_size and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(draw.uniform(0, 0.05))
        process.send_signal(how)
        process.wait()
        # a number whose line was cut off was not shown
        acknowledged |= {
            int(line) for line in output.read_bytes().splitlines(True) if line.endswith(b"\n")
        }
        with open_workspace(folder) as workspace:
            rows = workspace.db.execute("SELECT seq FROM label_event")
            assert acknowledged <= {seq for (seq,) in rows}
    return len(acknowledged)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGHUP])
@pytest.mark.parametrize("times", [pytest.param(10), pytest.param(200, marks=pytest.mark.slow)])
def test_no_acknowledged_label_is_lost(tmp_path: Path, how: signal.Signals, times: int):
    with new_workspace(tmp_path) as workspace, workspace.write() as db:
        drafts = make_drafts(db, ITEMS * max(1, times // 10))
        sample = samples.create(db, "s", "inspection", "revision", {})
        samples.add(db, sample, assignments(drafts))
    acknowledged = killed_at_random(tmp_path, how, times)
    assert acknowledged >= times
    print(f"\n{times} times {how.name}: {acknowledged} labels acknowledged, none lost")
    with open_workspace(tmp_path) as workspace:
        report = verify(workspace.db)
        assert report.ok, report
