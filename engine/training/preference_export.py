"""Preferences of people going out as DPO pairs: files for trainers, records, a card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from engine.labelling.figures.agreement_figures import agreement
from engine.labelling.forms import load_form
from engine.training.data.bundle import SIDES
from engine.training.data.dataset_card import agreement_text, front_matter, table
from engine.training.data.pairs import FORM_KEY
from engine.training.data.preferences import (
    PAIR_SHAPES,
    PairShape,
    PreferenceRecord,
    Preferences,
    WantedPairs,
    gather_preferences,
    pair_dataset_info,
)
from engine.training.data.row_files import file_name, read_rows, write_rows
from engine.training.data.shapes import AS_ARRAY
from store.errors import InputError
from store.formats import manifest
from store.formats.folder import ExportFolder, whole_folder, write_manifest
from store.formats.jsonl import read_jsonl
from store.formats.manifest import FOLLOWING, Manifest
from store.hashing import content_hash
from store.history.names import Names
from store.labels import standing
from store.workspace import Workspace

FORMAT = "preferences"
VERSION = 1


class PreferenceExport(Struct, frozen=True):
    """The form in which to write the preferences that `wanted` names."""

    wanted: WantedPairs
    shapes: tuple[PairShape, ...] = tuple(PAIR_SHAPES)
    anonymous: bool = False


def export_preferences(
    workspace: Workspace, export: PreferenceExport, out: Path, *, force: bool = False
) -> Manifest:
    """Writes the pairs into the folder `out`, whole or not at all.

    The same labels give the same bytes. Raises InputError when no pair is labelled, when nothing of
    it can be exported, and when `out` holds other files.
    """
    names = Names.of(workspace.db, anonymous=export.anonymous)
    found = gather_preferences(workspace, export.wanted, names)
    if not found.all:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in found.left_out.items())
        raise InputError(f"No preference can be exported: {reasons}.", "Adjudicate, or label more.")
    with whole_folder(out, force=force) as folder:
        counts = _write_files(folder, found, export.shapes)
        folder.text("README.md", _card(workspace, found, export))
        return write_manifest(
            folder,
            FORMAT,
            VERSION,
            _source(found, export),
            counts,
            by_status={**sources(found), **found.left_out},
            by_rater=_by_rater(found.all),
            by_guideline=_by_guideline(found.all),
            notes=tuple(
                f"{count:,} left out: {reason}" for reason, count in found.left_out.items()
            ),
        )


def _write_files(
    folder: ExportFolder, found: Preferences, shapes: Sequence[PairShape]
) -> dict[str, int]:
    registered = []
    for side in SIDES:
        if records := found.records[side]:
            folder.json_lines(f"records/{side}.jsonl", records)
            for shape in shapes:
                write_rows(folder, shape, side, [PAIR_SHAPES[shape](one) for one in records])
                if shape in AS_ARRAY:
                    registered.append((shape, side, file_name(shape, side)))
    if registered:
        folder.json("dataset_info.json", pair_dataset_info(registered))
    return {**sizes(found.all), **{f"{shape} {FOLLOWING}": len(found.all) for shape in shapes}}


def sizes(records: Sequence[PreferenceRecord]) -> dict[str, int]:
    """The numbers of pairs and questions, and of pairs on each side."""
    by_side = Counter(record.split for record in records)
    return {
        "pairs": len(records),
        "questions": len({record.group_id for record in records}),
        **{f"{side} pairs": by_side[side] for side in SIDES},
    }


def sources(found: Preferences) -> dict[str, int]:
    """Pairs by how their labels came about."""
    return dict(Counter(record.source for record in found.all))


def _source(found: Preferences, export: PreferenceExport) -> dict[str, str]:
    wanted = export.wanted
    return {
        "form": FORM_KEY,
        "field": wanted.field,
        "sample": wanted.sample or "all",
        "runs": ",".join(wanted.runs) or "all",
        "split": wanted.split,
        "shapes": ",".join(export.shapes),
        **({"min_raters": str(wanted.min_raters)} if wanted.min_raters > 1 else {}),
        "raters": "pseudonyms" if export.anonymous else "names",
        "state": content_hash(msgspec.to_builtins(found.all)),
    }


def _by_rater(records: Sequence[PreferenceRecord]) -> dict[str, int]:
    return dict(Counter(rater for record in records for rater in record.raters))


def _by_guideline(records: Sequence[PreferenceRecord]) -> dict[str, int]:
    versions = (version for record in records for version in record.guideline_versions or ("-",))
    return dict(Counter(f"{FORM_KEY} {version}" for version in versions))


def _card(workspace: Workspace, found: Preferences, export: PreferenceExport) -> str:
    records, form = found.all, load_form(FORM_KEY)
    rated = [
        one
        for one in standing.rated(workspace.db, form)
        if one.subject.base in found.pairs and one.field == export.wanted.field
    ]
    configs = [
        (shape, [(side, file_name(shape, side)) for side in SIDES if found.records[side]])
        for shape in export.shapes
    ]
    raters = Counter(rater for record in records for rater in record.raters)
    versions = sorted({one for record in records for one in record.guideline_versions})
    preferred = Counter((record.chosen_run, record.rejected_run) for record in records)
    questions = {side: len({one.group_id for one in found.records[side]}) for side in SIDES}
    sides = [(side, f"{len(found.records[side]):,}", f"{questions[side]:,}") for side in SIDES]
    sections = [
        front_matter((record.lang for record in records), len(records), "text-generation", configs),
        "# Preferences of people between RAG answers",
        f"{len(records):,} pairs of answers to"
        f" {len({record.group_id for record in records}):,} questions; people prefer the chosen"
        f" answer by `{export.wanted.field}`. The prompt is the question with the earlier turns of"
        " its dialogue, whose answers are the golden ones. What was retrieved is not part of it:"
        " each system had its own.",
        "## Sides",
        "Questions, not pairs, are divided, so that no question is on two sides; questions that"
        " are nearly the same stay together. What is on a side stays there in later exports.",
        table(("side", "pairs", "questions"), sides),
        "## Preferred runs",
        table(
            ("chosen", "rejected", "pairs"),
            [(*both, f"{count:,}") for both, count in sorted(preferred.items())],
        ),
        "## Raters and agreement",
        ", ".join(f"{name} ({count:,} labels)" for name, count in sorted(raters.items())) + ".",
        "How the labels came about: "
        + ", ".join(f"{count:,} {source}" for source, count in sorted(sources(found).items()))
        + ".",
        agreement_text(agreement(rated, form), "pair"),
        "Guideline versions in force: " + (", ".join(versions) or "none was written") + ".",
        "## Known gaps",
        "\n".join(f"- {count:,} left out: {why}." for why, count in sorted(found.left_out.items()))
        or "None that are known.",
    ]
    return "\n\n".join(sections) + "\n"


def recount(folder: Path) -> dict[str, int]:
    """Counts what the files hold: the records, and how many rows of every shape follow from
    them."""
    source = manifest.read(folder).source
    shapes = [one for one in PAIR_SHAPES if one in source["shapes"].split(",")]
    every: list[PreferenceRecord] = []
    followed: Counter[str] = Counter()
    for side in SIDES:
        file = folder / "records" / f"{side}.jsonl"
        if not file.exists():
            continue
        records = [one for _, one in read_jsonl(file, PreferenceRecord)]
        every += records
        for shape in shapes:
            made = [PAIR_SHAPES[shape](one) for one in records]
            rows = read_rows(folder / file_name(shape, side))
            followed[shape] += sum(a == b for a, b in zip(made, rows, strict=False))
    return {
        **sizes(every),
        **{f"{shape} {FOLLOWING}": followed[shape] for shape in shapes},
        **{f"rater {rater}": count for rater, count in _by_rater(every).items()},
        **{f"guideline {name}": count for name, count in _by_guideline(every).items()},
    }


RECOUNTS = {(FORMAT, VERSION): recount}
"""By format and version."""
