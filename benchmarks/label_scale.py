"""What a label and the facts after it cost, and the next subject, as the labels become many.

A run's answers are one sample for two raters. The first has completed two fifths of it, the second
a quarter of those, and differs in every tenth. Each size is built anew; a cost is processor time,
the median of several labels that the second rater gives, and its growth is told beside the first
size's.
"""

from __future__ import annotations

import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT)]

from benchmarks import pairs, workspaces  # noqa: E402
from engine.labelling.drawing.drawing import SampleRequest, draw_sample  # noqa: E402
from engine.labelling.forms import load_form  # noqa: E402
from engine.labelling.forms.rules import value_keys  # noqa: E402
from engine.labelling.session import LabelSession  # noqa: E402
from store.labels.samples import queue  # noqa: E402
from store.migrations import register_row_sum  # noqa: E402
from store.workspace import Workspace, open_workspace  # noqa: E402
from tui.live.reader import Reader  # noqa: E402

FORM = "judge_labels"
FIRST, SECOND = "first", "second"
FACTS_TARGET_MS, NEXT_TARGET_MS = 20.0, 5.0


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=9)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    args = parser.parse_args()
    sizes = [60, 120] if args.quick else args.sizes
    print(f"{'subjects':>9} {'labels':>8} {'label ms':>9} {'facts ms':>9} {'next ms':>8}")
    base: list[float] = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as made:
            with pairs.progress(f"{size:,} subjects"):
                folder = Path(made) / "workspace"
                labels = make(folder, size)
            figures = _measure(folder, 3 if args.quick else args.pairs)
        base = base or figures
        growth = "  ".join(f"{now / then:.1f}" for now, then in zip(figures, base, strict=True))
        print(
            f"{size:9,} {labels:8,} {figures[0]:9.2f} {figures[1]:9.2f} {figures[2]:8.2f}", end=""
        )
        print(f"   x {growth}")
    print(f"targets: label and facts {FACTS_TARGET_MS:.0f} ms, next {NEXT_TARGET_MS:.0f} ms")


def make(folder: Path, size: int) -> int:
    """Makes the workspace; returns how many answers are labelled."""
    with open_workspace(folder, create=True) as workspace:
        with workspace.write() as db:
            workspaces.make_scored_run(db, workspaces.make_release(db, size), "r", 1)
        request = SampleRequest("s", FORM, runs=("r",), per_cell=size, raters_wanted=2)
        draw_sample(workspace, request)
        _complete(workspace, FIRST)
        with workspace.write() as db:
            return _spread(db, size * 2 // 5)


def _complete(workspace: Workspace, rater: str) -> None:
    """One subject, labelled as at the desk."""
    session = LabelSession(workspace, FORM, rater)
    session.begin()
    form = load_form(FORM)
    assert session.subject is not None
    for field in form.fields:
        if field.choices and field.key not in session.state(session.subject).not_applicable:
            value = next(iter(value_keys(field).values()))
            session.set(session.subject, field.key, value, active_ms=900)
    assert session.opened is not None
    assert session.opened.is_done


def _spread(db: sqlite3.Connection, wanted: int) -> int:
    """Copies the events and the status of the one labelled subject to others of the sample."""
    register_row_sum(db)
    (model,) = db.execute("SELECT subject FROM label_status").fetchone()
    field, low, high = _differing()
    _copy(db, model, FIRST, "ordinal % 5 < 2 AND ordinal < ?1 * 5", wanted, field, low)
    _copy(
        db,
        model,
        SECOND,
        "ordinal % 20 = 0 AND ordinal < ?1 * 5 AND ordinal % 200 <> 0",
        wanted,
        field,
        low,
    )
    _copy(db, model, SECOND, "ordinal % 200 = 0 AND ordinal < ?1 * 5", wanted, field, high)
    (count,) = db.execute("SELECT count(*) FROM label_status WHERE status = 'complete'").fetchone()
    return int(count)


def _differing() -> tuple[str, str, str]:
    field = next(one for one in load_form(FORM).fields if one.choices)
    values = [str(value) for value in value_keys(field).values()]
    return field.key, values[0], values[1]


def _copy(
    db: sqlite3.Connection, model: str, rater: str, rule: str, wanted: int, field: str, value: str
) -> None:
    fresh = (
        f"(SELECT subject FROM assignment WHERE {rule} AND NOT EXISTS (SELECT 1 FROM label_status"
        f" AS s WHERE s.form_key = '{FORM}' AND s.subject_kind = 'prediction'"
        " AND s.subject = assignment.subject AND s.rater = ?2))"
    )
    db.execute("CREATE TEMP TABLE IF NOT EXISTS fresh (subject TEXT)")
    db.execute("DELETE FROM fresh")
    db.execute(f"INSERT INTO fresh SELECT subject FROM {fresh}", (wanted, rater))
    db.execute(
        "INSERT INTO label_event (at, rater, form_id, subject_kind, subject, field, value, kind,"
        " undoes, origin, active_ms, guideline, checksum)"
        " SELECT at, ?1, form_id, subject_kind, fresh.subject, field,"
        " iif(field = ?3, ?4, value), kind, undoes, origin, active_ms, guideline,"
        " row_sum(?1, fresh.subject, field, iif(field = ?3, ?4, value), kind)"
        " FROM fresh CROSS JOIN label_event AS one WHERE one.subject_kind = 'prediction'"
        " AND one.subject = ?2 AND one.rater = ?5",
        (rater, model, field, value, FIRST),
    )
    db.execute(
        "INSERT INTO label_status (form_key, subject_kind, subject, rater, status, seq, at)"
        " SELECT form.key, e.subject_kind, e.subject, e.rater, 'complete', max(e.seq), e.at"
        " FROM fresh CROSS JOIN label_event AS e ON e.subject_kind = 'prediction'"
        " AND e.subject = fresh.subject JOIN form ON form.id = e.form_id"
        " WHERE e.rater = ? GROUP BY e.subject",
        (rater,),
    )


def _measure(folder: Path, times: int) -> list[float]:
    """Medians in milliseconds: a label, the facts after it, and the next subject."""
    with open_workspace(folder) as workspace, open_workspace(folder) as watched:
        reader = Reader(watched.db, SECOND)
        reader.read(folder, 1)
        session = LabelSession(workspace, FORM, SECOND)
        session.begin()
        form = load_form(FORM)
        field = next(one for one in form.fields if one.choices)
        values = list(value_keys(field).values())
        labels, facts, following = [], [], []
        for turn in range(times):
            assert session.subject is not None
            subject, value = session.subject, values[turn % 2]
            labels.append(_milliseconds(lambda s=subject, v=value: session.set(s, field.key, v)))
            facts.append(_milliseconds(lambda: reader.read(folder, 1)))
            following.append(
                _milliseconds(lambda: queue.upcoming(workspace.db, FORM, SECOND, limit=4))
            )
    return [statistics.median(one) for one in (labels, facts, following)]


def _milliseconds(act: Callable[[], object]) -> float:
    began = time.process_time()
    act()
    return (time.process_time() - began) * 1000


if __name__ == "__main__":
    main()
