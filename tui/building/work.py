"""The jobs that belong to Build, among all that the workspace knows of."""

from __future__ import annotations

from tui.live.facts import Facts, WorkFact

KINDS = ("generate", "classify", "topics", "inspect")


def works(facts: Facts) -> list[WorkFact]:
    """Every job of Build, the newest first."""
    return [fact for fact in facts.work if fact.job is not None and fact.job.kind in KINDS]


def open_works(facts: Facts) -> list[WorkFact]:
    """Those that are under way or can go on."""
    return [fact for fact in works(facts) if fact.is_active or fact.can_resume]


def work_meant(facts: Facts) -> WorkFact | None:
    """The job that the keys for jobs mean: one under way, else the latest that can go on."""
    known = works(facts)
    active = [fact for fact in known if fact.is_active]
    return next(iter([*active, *(fact for fact in known if fact.can_resume), *known]), None)


def signature(facts: Facts) -> object:
    """Differs when documents, items, topics or jobs may have changed."""
    jobs = [
        (work.key, work.status, work.done)
        for work in facts.work
        if work.job is not None and work.job.kind in (*KINDS, "ingest")
    ]
    names = [fact.dataset for fact in facts.datasets]
    return facts.is_open, facts.opened, facts.sources, names, jobs
