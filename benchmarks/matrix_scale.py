"""The matrix of one run in a store of a million scores against the same run in one of ten thousand.

Both stores hold the same run; the large one holds as many others, before it and after it, as make
up the number.
"""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path

from benchmarks import pairs, workspaces
from engine.results.metric_query import MetricQuery
from engine.results.run_matrix import run_matrix
from store.workspace import Workspace, open_workspace

TARGET = 2.0
METRICS = 10
NAME = "measured"


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=15)
    parser.add_argument("--scores", type=int, default=1_000_000, help="in the large store")
    parser.add_argument("--run-scores", type=int, default=10_000, help="of the run, in both")
    args = parser.parse_args()
    if args.quick:
        args.scores, args.run_scores, args.pairs = 2_000, 200, 3
    with tempfile.TemporaryDirectory() as made, ExitStack() as opened:
        stores = []
        for name, scores in (("large", args.scores), ("small", args.run_scores)):
            folder = Path(made) / name
            with pairs.progress(f"making a store of {scores:,} scores"):
                workspace = opened.enter_context(open_workspace(folder, create=True))
                _fill(workspace, scores // args.run_scores, args.run_scores // METRICS)
            stores.append(workspace)
        large, small = (
            run_matrix(store.db, NAME, MetricQuery("rougeL")).matrix for store in stores
        )
        assert large == small
        found = pairs.alternate(
            lambda _: _measure(stores[0]), lambda _: _measure(stores[1]), args.pairs
        )
    what = f"matrix of {args.run_scores // METRICS:,} predictions"
    pairs.print_table("small store", [pairs.slower_line(what, found, "", 1, TARGET)])


def _measure(workspace: Workspace) -> pairs.Cost:
    return pairs.measure(lambda: run_matrix(workspace.db, NAME, MetricQuery("rougeL")))


def _fill(workspace: Workspace, count: int, items: int) -> None:
    """`count` runs over `items` items; the one in the middle is the one that is measured."""
    with workspace.write() as db:
        release = workspaces.make_release(db, items)
    for number in range(count):
        name = NAME if number == count // 2 else f"other-{number}"
        with workspace.write() as db:
            workspaces.make_scored_run(db, release, name, METRICS)


if __name__ == "__main__":
    main()
