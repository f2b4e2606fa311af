"""The texts of the Export screen: the preview of an export, and the report on a written one."""

from __future__ import annotations

from pathlib import Path

from store.formats.manifest import FOLLOWING, Preview, Verified
from store.messages import plural
from tui.language import later, read, tr
from tui.shell.theme import SIGNS
from tui.widgets.line import Piece
from tui.widgets.sheet import Lay, wrapped

_REMEDIES = {
    "in conflict": tr("F8, then D: resolve them"),
    "unfinished": tr("begun by a rater; F7 continues"),
    "near-duplicate of both sides": tr("would leak from training into the test"),
    "no judge is asked": tr("nothing was retrieved"),
}
"""What to do about a reason, or what it means."""


_FIRST = ("items", "labels", "answers", "questions")
"""Counts that stand before all others; a manifest has its own in the order of the alphabet."""
OF_A_SIDE = (
    *(later("{number} train labels"), later("{number} train pairs")),
    *(later("{number} validation labels"), later("{number} validation pairs")),
    *(later("{number} test labels"), later("{number} test pairs")),
)
"""Counts whose names the engine makes of parts."""


def preview_lines(preview: Preview) -> Lay:
    """What an export would hold, by status; what it leaves out, and why."""

    def lay(width: int) -> list[list[Piece]]:
        lines = list(wrapped(preview.problem, width, "bad")) if preview.problem else []
        lines += wrapped(_listed(preview.counts), width, "strong")
        if preview.by_status:
            by_status = preview.by_status.items()
            listed = ", ".join(f"{count:,} {_word(name)}" for name, count in by_status)
            lines += wrapped(tr("by status: {listed}", listed=listed), width)
        if preview.left_out:
            lines.append([(tr("Left out"), "header")])
            for name, count in preview.left_out.items():
                note = _REMEDIES.get(name, "")
                lines.append([*_counted(name, count, "warn"), (f"   {note}", "muted")])
        for note in preview.notes:
            lines += [[], *wrapped(tr("Note: {note}.", note=note), width, "muted")]
        return lines

    return lay


def written_lines(written: Verified, out: Path) -> Lay:
    """The folder, its files, and whether they hold what the manifest says."""
    manifest = written.manifest

    def lay(width: int) -> list[list[Piece]]:
        lines: list[list[Piece]] = [*wrapped(str(out), width, "strong")]
        if written.problems:
            for problem in written.problems:
                lines += wrapped(f"{SIGNS.bad} {problem}", width, "bad")
        else:
            text = tr(
                "{good} checked: {files}, every hash and count holds",
                good=SIGNS.good,
                files=plural(len(manifest.files), "file"),
            )
            lines += wrapped(text, width, "good")
        lines += [[], *wrapped(_listed(_of_the_preview(manifest.counts)), width)]
        for note in manifest.notes:
            lines += wrapped(tr("note: {note}", note=note), width, "muted")
        lines.append([])
        for name, file in manifest.files.items():
            rows = tr("{rows:>8,} rows", rows=file.rows) if file.rows is not None else " " * 13
            lines.append(
                [
                    (tr("{bytes:>11,} bytes {rows}  ", bytes=file.bytes, rows=rows), "muted"),
                    (name, ""),
                ]
            )
        return lines

    return lay


def _of_the_preview(counts: dict[str, int]) -> dict[str, int]:
    """The counts that were looked at before, in that order; those that only a check needs stay in
    the manifest."""
    order = [*_FIRST, *(name for name in counts if name not in _FIRST)]
    return {
        name: counts[name] for name in order if counts.get(name) and not name.endswith(FOLLOWING)
    }


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(read(f"{count:,} {name}") for name, count in counts.items())


def _counted(name: str, count: int, role: str = "strong") -> list[Piece]:
    return [(f"{count:>9,}", role), (f"  {_word(name)}", "")]


def _word(name: str) -> str:
    return tr(name.replace("_", " "))
