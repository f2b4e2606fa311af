"""Commands that write folders with a manifest, and check them again."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import UsageError
from store.messages import choices, plural
from store.records import ItemState
from store.workspace import open_workspace
from tui.cli.output import print_json, print_text, say

if TYPE_CHECKING:
    from store.formats.manifest import Manifest


def export_dataset(arguments: argparse.Namespace) -> int:
    from engine.exporters.kinds import export_dataset as write
    from engine.exporters.scope import Filters

    with open_workspace(arguments.workspace) as workspace:
        manifest = write(
            workspace,
            arguments.kind,
            arguments.dataset,
            arguments.out,
            filters=Filters(
                _states(arguments.state),
                tuple(arguments.topic),
                tuple(arguments.task),
                arguments.split,
            ),
            anonymous=arguments.anonymous,
            force=arguments.force,
        )
    show_export(arguments, manifest)
    return 0


def export_judge(arguments: argparse.Namespace) -> int:
    from engine.judge.rules.judge import METRICS
    from engine.training.data.bundle import Wanted
    from engine.training.data.shapes import SHAPES
    from engine.training.data.sides import SPLIT_NAME
    from engine.training.judge_export import DEFAULT_SHAPES, JudgeExport
    from engine.training.judge_export import export_judge as write

    _check_names("--metrics", arguments.metrics, METRICS)
    _check_names("--shapes", arguments.shapes, (*SHAPES, "parquet"))
    chosen = set(arguments.shapes) or set(DEFAULT_SHAPES)
    export = JudgeExport(
        Wanted(
            sample=arguments.sample,
            runs=tuple(arguments.runs),
            metrics=tuple(one for one in METRICS if one in (arguments.metrics or METRICS)),
            prompt_files=_prompt_files(arguments.prompt_file, METRICS),
            split=arguments.split or SPLIT_NAME,
            soft=arguments.soft_labels,
        ),
        shapes=tuple(one for one in SHAPES if one in chosen),
        parquet="parquet" in chosen,
        reply=arguments.reply,
        rationale=arguments.rationale,
        anonymous=arguments.anonymous,
    )
    with open_workspace(arguments.workspace) as workspace:
        manifest = write(workspace, export, arguments.out, force=arguments.force)
    show_export(arguments, manifest)
    return 0


def _check_names(option: str, given: list[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise UsageError(f"{option} {name}: there is none.", choices(name, known, "There are"))


def _prompt_files(given: list[str], metrics: Iterable[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for one in given:
        metric, mark, file = one.partition("=")
        if mark:
            _check_names("--prompt-file", [metric], metrics)
        found[metric if mark else ""] = Path(file if mark else one)
    return found


def _states(given: list[str]) -> tuple[ItemState, ...]:
    if "all" in given:
        return tuple(ItemState)
    known = [str(state) for state in ItemState]
    for state in given:
        if state not in known:
            raise UsageError(
                f"--state {state}: there is none.", choices(state, [*known, "all"], "States")
            )
    return tuple(map(ItemState, given))


def show_export(arguments: argparse.Namespace, manifest: Manifest) -> None:
    """Prints what an export holds."""
    if arguments.json:
        print_json({"out": str(arguments.out), "manifest": manifest})
        return
    from engine.exporters.records import FOLLOWING

    said = (
        f"{count:,} {name}"
        for name, count in manifest.counts.items()
        # a shape has a row for every label; the manifest counts them for whoever checks it
        if not name.endswith(FOLLOWING)
    )
    counts = ", ".join(said)
    statuses = ", ".join(f"{count:,} {name}" for name, count in sorted(manifest.by_status.items()))
    print_text(f"exported to {arguments.out}: {counts}")
    if statuses:
        print(f"by status: {statuses}")
    for note in manifest.notes:
        say(f"note: {note}")
    print(f"check it by: ragdesk verify --export {arguments.out}")


def verify_export(arguments: argparse.Namespace) -> int:
    """`verify --export DIR`: 0 when every hash and count holds, else 1."""
    from engine.exporters.kinds import verify_export as check

    folder: Path = arguments.export
    found = check(folder)
    said = found.manifest
    if arguments.json:
        print_json({"ok": not found.problems, "problems": found.problems, "manifest": said})
    else:
        for problem in found.problems:
            print(f"FAILED  {problem}")
        if not found.problems:
            print(
                f"ok      {folder}: {said.format} {said.version} by {said.program},"
                f" {plural(len(said.files), 'file')}, every hash and count holds"
            )
    return 1 if found.problems else 0
