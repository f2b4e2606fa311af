"""Commands that look after the workspace: verify, backup."""

from __future__ import annotations

import argparse

from store.workspace import open_workspace
from tui.cli.output import print_json, print_text


def verify(arguments: argparse.Namespace) -> int:
    from store.verify import verify as check

    if arguments.export is not None:
        from tui.cli.export import verify_export

        return verify_export(arguments)
    with open_workspace(arguments.workspace) as workspace:
        report = check(workspace.db)
    if arguments.json:
        print_json({"ok": report.ok, "checks": report.checks})
    else:
        for one in report.checks:
            print_text(f"{'ok  ' if one.ok else 'FAIL'}  {one.name}: {one.detail}")
        print("the workspace is whole" if report.ok else "the workspace is damaged")
    return 0 if report.ok else 1


def backup(arguments: argparse.Namespace) -> int:
    from store.clock import now_text

    with open_workspace(arguments.workspace) as workspace:
        stamp = now_text()[:19].replace(":", "").replace("-", "")
        target = arguments.out or workspace.folder / "backups" / f"ragdesk-{stamp}.sqlite"
        made = workspace.backup(target)
    if arguments.json:
        print_json({"backup": str(made), "bytes": made.stat().st_size})
    else:
        print(f"wrote {made} ({made.stat().st_size:,} bytes), checked")
    return 0
