"""What was refused is shown until somebody has seen it, and again when more comes."""

from __future__ import annotations

from pathlib import Path

from store.jobs import jobs, unreadable
from store.workspace import open_workspace


def test_a_refusal_stays_until_it_is_seen(tmp_path: Path) -> None:
    with open_workspace(tmp_path, create=True) as workspace:
        with workspace.write() as db:
            job = jobs.enqueue(db, "ingest", "files into texts")
            jobs.note(db, job.id, unreadable.REFUSED, "a.png: no text")
            jobs.note(db, job.id, "warning", "b.txt: odd")
        (part,) = unreadable.unseen(workspace.db)
        assert (part.job_id, part.job_title, part.text) == (
            job.id,
            "files into texts",
            "a.png: no text",
        )
        with workspace.write() as db:
            unreadable.mark_seen(db, [job.id, job.id], "ann")
        assert unreadable.unseen(workspace.db) == []
        with workspace.write() as db:
            jobs.note(db, job.id, unreadable.REFUSED, "c.png: no text")
        assert [one.text for one in unreadable.unseen(workspace.db)] == ["c.png: no text"]
        assert [event.kind for event in jobs.events(workspace.db, job.id)].count("seen") == 1
