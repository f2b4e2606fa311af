"""The real worker, run as a script that notes every answer it computes: WORKSPACE LOG.

A child process of the pool imports this file again, which is how the counting reaches it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from engine.evaluate import pool_tasks
from engine.jobs import worker

log = os.open(os.environ["RAGDESK_TEST_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
compute = pool_tasks.score_prediction


def counted(turn, *rest):
    os.write(log, (turn.question.replace("\n", " ") + "\n").encode())
    return compute(turn, *rest)


pool_tasks.score_prediction = counted

if __name__ == "__main__":
    worker.main(Path(sys.argv[1]))
