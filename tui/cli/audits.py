"""The command audit: how far a judge may be trusted, with an exit code for CI."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import NotFound, UsageError
from store.messages import choices, plural
from tui.cli.command import command, option
from tui.cli.costs import estimated, print_replies
from tui.cli.options import BUDGET, DRY_RUN, OUT, budget_of, detach_option, filled, workspace_of
from tui.cli.output import (
    print_json,
    print_line,
    say,
    show,
    tell,
    terminal_width,
    write_result,
)
from tui.language import read, tr

if TYPE_CHECKING:
    from engine.calibration.audit.audit_job import AuditJudge
    from engine.calibration.audit.audit_records import Verdict
    from store.runs.audits import StoredAudit
    from store.workspace import Workspace

EXIT_CODES: dict[Verdict, int] = {
    "trusted": 0,
    "not trusted": 4,
    "too few labels": 5,
    "stale": 5,
}


@command(
    "audit",
    "say how far a judge may be trusted: 0 trusted, 4 not, 5 undecided",
    option("JUDGE", "a judge, as NAME or NAME@HASH", dest="judge"),
    option("[RUN...]", "runs with its answers (default: all with labels)", dest="run_names"),
    option("--metrics M...", "metrics to audit (default: all that the judge gives)", None),
    option("--answers N", "answers that are changed to probe it (default 50)"),
    option("--against JUDGE@HASH", "also another judge, or an older configuration, beside it"),
    option("--prompts FOLDER...", "also other wordings: folders with its templates", None),
    option("--last", "print the newest audit again; ask nothing"),
    *BUDGET,
    detach_option(),
    DRY_RUN,
    *OUT,
    example="rules bm25-mine@1 --out rules.html",
)
def audit(arguments: argparse.Namespace) -> int:
    from engine.calibration.audit.audit_job import AuditJudge
    from engine.jobs.start import start
    from store.runs import audits
    from tui.cli.follow import follow

    _check_out(arguments.out)
    operation = filled(AuditJudge, arguments, runs=arguments.run_names, budget=budget_of(arguments))
    with workspace_of(arguments) as workspace:
        if arguments.last:
            return _show(arguments, *_last(workspace, arguments.judge))
        if arguments.dry_run:
            return _dry_run(arguments, workspace, operation)
        job = start(workspace, operation)
        if arguments.detach:
            line = tr(
                "{title} is job {id}; then: ragdesk audit {judge} --last",
                title=job.title,
                id=job.id,
                judge=arguments.judge,
            )
            return show(arguments, {"job": job.id, "state": job.status}, line)
        if code := follow(workspace, [job.id]):
            return code
        made = audits.latest(workspace.db, job.params["plan"]["judge_id"])
        assert made is not None, "a job that is done has stored its audit"
        return _show(arguments, made)


def _check_out(out: Path | None) -> None:
    if out is not None and out.suffix not in (".md", ".html"):
        raise UsageError(f"--out is {out.name}.", "Name a file that ends in .md or .html.")


def _last(workspace: Workspace, name: str) -> tuple[StoredAudit, bool]:
    """The newest audit of a judge, and whether the judge has changed since. Raises NotFound where
    there is none."""
    from engine.judge.registry import judges
    from store.runs import audits

    known = audits.newest(workspace.db)
    if name not in known:
        raise NotFound(
            f"Judge {name!r} has not been audited.",
            choices(name, known, "Audited are", none="none"),
        )
    configured = judges(workspace.folder)
    return known[name], name in configured and configured[name].hash != known[name].judge_hash


def _show(arguments: argparse.Namespace, stored: StoredAudit, is_stale: bool = False) -> int:
    import msgspec

    from engine.calibration.audit.audit_records import Audit
    from engine.report.audit import audit_as_json, audit_html, audit_markdown, audit_text

    found = msgspec.json.decode(stored.report, type=Audit)
    if arguments.out is not None:
        card = audit_html if arguments.out.suffix == ".html" else audit_markdown
        write_result(arguments, card(found, stored.made_at))
    if arguments.json:
        print_json({**audit_as_json(found, stored.made_at), "changed_since": is_stale})
    elif arguments.out is None:
        print(audit_text(found, stored.made_at, width=terminal_width()), end="")
    else:
        say(f"{found.judge}: {read(found.verdict)}")
    if is_stale:
        tell(
            "stale: the judge has changed since. Audit it again: ragdesk audit {name}",
            name=found.name,
        )
    return EXIT_CODES["stale" if is_stale else found.verdict]


def _dry_run(arguments: argparse.Namespace, workspace: Workspace, operation: AuditJudge) -> int:
    estimate = estimated(workspace, operation, lambda total: plural(total, "changed answer"))
    if arguments.json:
        print_json(estimate)
        return 0
    least = tr("at least ") if estimate.at_least else ""
    print_line(
        "audit of {judge}: {answers} to change",
        judge=arguments.judge,
        answers=plural(estimate.answers, "answer"),
    )
    print_line(
        "values {values:,}, which take {least}{calls}",
        values=estimate.values,
        least=least,
        calls=plural(estimate.calls, "model call"),
    )
    print_replies(estimate, estimate.values)
    return 0


COMMANDS = (audit,)
