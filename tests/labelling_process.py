"""A rater who never rests: labels what the queue gives and prints each number once it is saved."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from engine.labelling.session import LabelSession
from store.workspace import open_workspace

FOLDER, RATER, SEED = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])


def main() -> None:
    draw = random.Random(SEED)
    with open_workspace(FOLDER) as workspace:
        session = LabelSession(workspace, "inspection", RATER)
        while queued := session.next():
            session.save_draft(queued.subject, "correction/turns.0.question", "半句")
            session.set(queued.subject, "answer", draw.randint(0, 1))
            session.set(queued.subject, "score", draw.choice([1, 2, 4, 5]))
            print(session.saved, flush=True)
            if draw.random() < 0.3 and (undone := session.undo()):
                print(undone.seq, flush=True)


main()
