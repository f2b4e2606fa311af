"""The judges with what their newest audits found, and the audits that are under way."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.judge.registry import judges
from engine.report.audit import audit_text
from store.runs import audits, judge_scores
from store.runs.audits import StoredAudit
from tui.calibration.tables import VERDICT_ROLES, Audited, Table, TableLine, fitted, report_of
from tui.language import later, read, tr
from tui.live.facts import WorkFact
from tui.live.labels import moment_text, state_role, state_text
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, Row
from tui.widgets.sheet import wrapped

_KIND = "audit"
_OVER = ("done", "cancelled")
CHANGES = (
    *(later("order"), later("length"), later("notation"), later("authority")),
    *(later("own-family"), later("wrong-number"), later("denied"), later("wrong-answer")),
)
"""What audits call the changes of answers that they probe judges with."""
FOUND = (
    later("{metric}, {what}: {effect}, biased"),
    later("{metric}, {what}: {effect}, unsettled; {reason}: ask about more answers"),
    later("{number:+.2f} ({low:.2f} to {high:.2f})"),
)
"""How the reasons of a verdict say what a probe found."""
_AUDITS = (
    Column("judge", minimum=8),
    Column("verdict", minimum=14),
    Column("labels", 6, "right", drop=2),
    Column("probed", 6, "right", drop=3),
    Column("made", 12, drop=1),
    Column("why", minimum=20, drop=4),
)


def audited(db: sqlite3.Connection, folder: Path, work: Sequence[WorkFact]) -> list[Audited]:
    """The judges that are configured, then all others that the workspace knows. Raises InputError
    for broken settings."""
    configured = {name: spec.hash for name, spec in judges(folder).items()}
    newest = audits.newest(db)
    # of a job that came with an archive nothing is known but that it was
    last = {fact.job.params.get("judge"): fact for fact in reversed(_audits(work)) if fact.job}
    under_way = {name: fact for name, fact in last.items() if fact.status not in _OVER}
    out = []
    for name in dict.fromkeys([*configured, *judge_scores.names(db)]):
        audit = newest.get(name)
        is_stale = audit is not None and configured.get(name, audit.judge_hash) != audit.judge_hash
        out.append(Audited(name, audit, is_stale, under_way.get(name)))
    return out


def _audits(work: Sequence[WorkFact]) -> list[WorkFact]:
    """The jobs that audit, newest first."""
    return [fact for fact in work if fact.job is not None and fact.job.kind == _KIND]


def progress_of(work: Sequence[WorkFact]) -> list[tuple[str, str, int]]:
    """What the list of audits shows of jobs: it differs as soon as there is something new."""
    return [(fact.key, fact.status, fact.done) for fact in _audits(work)]


def audit_table(known: Sequence[Audited]) -> Table:
    """Returns a line for each judge."""
    rows = [Row(one.name, _cells(one)) for one in known]
    shown = {one.name: TableLine(audited=one) for one in known}
    *columns, why = _AUDITS
    return Table((*fitted(tuple(columns), rows), why), rows, shown)


def _cells(one: Audited) -> tuple[str | Cell, ...]:
    verdict, figures = Cell(tr("none yet"), "muted"), ("", "", "", "")
    if one.audit is not None:
        report = report_of(one.audit)
        word = "stale" if one.is_stale else report.verdict
        verdict = Cell(tr(word), VERDICT_ROLES.get(word, "muted"))
        made = moment_text(one.audit.made_at)
        figures = (
            f"{report.labels:,}",
            f"{report.probed:,}",
            made,
            "; ".join(map(read, report.reasons)),
        )
    if one.work is not None:
        verdict = Cell(_progress(one.work), state_role(one.work))
    return Cell(one.name, "strong"), verdict, *figures


def _progress(work: WorkFact) -> str:
    if work.status == "running" and work.total:
        return tr("{done} % of {total:,}", done=100 * work.done // work.total, total=work.total)
    return state_text(work).strip()


def audit_lines(one: Audited, width: int) -> Iterator[list[Piece]]:
    """The audit that is under way, then the newest one."""
    work = one.work
    if work is not None and work.job is not None:
        yield from wrapped(f"{work.title}: {_progress(work)}.", width, state_role(work))
        where = tr("On F5 Runs it is paused, resumed, cancelled.")
        for text in filter(None, (work.job.error, work.job.remedy, where)):
            yield from wrapped(text, width)
        yield []
    yield from card(one.audit, one.is_stale, width)


def card(audit: StoredAudit | None, is_stale: bool, width: int) -> Iterator[list[Piece]]:
    """An audit as the command prints it, or how to make one."""
    if audit is None:
        yield from wrapped(tr("Not audited yet: + asks how far to trust it."), width, "muted")
        return
    if is_stale:
        yield from wrapped(
            tr("Of an older configuration of the judge: + audits it again."), width, "warn"
        )
    report = report_of(audit)
    role = VERDICT_ROLES.get(report.verdict, "strong")
    for line in audit_text(report, audit.made_at, width=width).splitlines():
        yield [(line, role)]
        role = "" if line else "header"
