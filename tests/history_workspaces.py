"""A dataset with all that can happen to one: verdicts, labels, corrections, undos, rulings."""

from __future__ import annotations

from labelling_workspaces import corrected, make_drafts, register, score

from store.datasets import datasets, splits
from store.datasets.splits import Placed, Side
from store.hashing import text_id
from store.history import restoring
from store.history.archive import InspectionLine, Provenance
from store.jobs import prompts
from store.jobs.prompts import PromptRow
from store.labels import guidelines
from store.labels.consensus import adjudicate
from store.labels.log import log
from store.labels.log.events import EventKind
from store.workspace import Workspace


def make_history(workspace: Workspace) -> None:
    """Dataset `drafts` of eight items, `drafts@1` with those accepted, and one accepted since.

    王芳 and li rate; i2 is corrected, i3 discarded, i4 in conflict and ruled, i5 undone.
    """
    with workspace.write(durable=True) as db:
        drafts = make_drafts(db)
        dataset = drafts.dataset
        form = register(db)
        guidelines.put(db, form.form.key, "看清楚再打分。", "王芳")
        _machine_work(workspace, drafts.revisions)
        score(db, form, "王芳", drafts.subject(0), 5)
        guidelines.put(db, form.form.key, "先读文档。", "王芳")
        score(db, form, "王芳", drafts.subject(1), 4)
        log.append(
            db, form, "王芳", drafts.subject(1), "", "好题", kind=EventKind.COMMENT, active_ms=5
        )
        score(db, form, "li", drafts.subject(2), 3)
        proposal = datasets.revise(
            db, drafts.items[2], drafts.revisions[2], corrected(2), author="li", reason="unit"
        )
        shown = drafts.subject(2)
        log.append(db, form, "li", shown, "correction", proposal)
        log.append(db, form, "li", shown, "correction", proposal, kind=EventKind.ACCEPT)
        score(db, form, "li", drafts.subject(3), 1)
        score(db, form, "王芳", drafts.subject(4), 5)
        score(db, form, "li", drafts.subject(4), 2)
        score(db, form, "li", drafts.subject(5), 5)
        log.undo(db, "li", form.form.key)
        adjudicate(db, form, "zhao", drafts.subject(4), "score", 4, reason="有据")
        split = splits.create(db, dataset.name, (Side("train", 30), Side("test", 70)), 7)
        splits.add(
            db, split, [Placed("i0", "g0", "rates", "train"), Placed("i1", "g1", "r", "test")]
        )
        datasets.release(db, dataset, "first look")
    with workspace.write(durable=True) as db:
        score(db, form, "王芳", drafts.subject(6), 5)


def _machine_work(workspace: Workspace, revisions: tuple[int, ...]) -> None:
    """What a model wrote and an inspector said; item i7 was corrected by the inspector."""
    db = workspace.db
    dataset = datasets.get(db, "drafts")
    prompts.put(db, PromptRow("h1", "generate/extractive", "zh", "写题：{documents}"))
    document = text_id("Bond prices fell after the rate rose.")
    made = Provenance("qwen", "generate/extractive", "h1", (document,), "2026-01-01T00:00:00.000Z")
    restoring.provenances(db, dataset, "generated", [(revisions[0], made), (revisions[7], made)])
    items = dict(db.execute("SELECT id, item_id FROM revision").fetchall())
    fixed = datasets.revise(
        db, items[revisions[7]], revisions[7], corrected(3), author="qwen", reason="inspected"
    )
    numbers = {("i7", 1): revisions[7], ("i7", 2): fixed, ("i0", 1): revisions[0]}
    checks = [{"aspect": "task", "grade": "met", "reason": "好"}]
    at = "2026-01-01T00:00:01.000Z"
    restoring.inspections(
        db,
        "inspected",
        [
            ("i0", InspectionLine(1, 0, "offline", None, "parsed", 2, "", checks, None, at)),
            ("i0", InspectionLine(1, 0, "qwen", "h1", "unparsed", None, "prose", [], None, at)),
            ("i7", InspectionLine(1, 0, "qwen", "h1", "parsed", 1, "unit", [], 2, at)),
        ],
        numbers,
    )
