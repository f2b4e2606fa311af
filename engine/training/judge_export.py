"""Human labels going out as training data for judges: files for trainers, records, a card."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from engine.judge.model.asking import JudgePrompts, judge_messages
from engine.labelling.figures.agreement_figures import agreement
from engine.labelling.forms import find_form
from engine.training.data.bundle import SIDES, Bundle, Wanted, gather, state_hash
from engine.training.data.dataset_card import write_card
from engine.training.data.judge_records import JudgeRecord
from engine.training.data.row_files import file_name, read_rows, write_rows
from engine.training.data.shapes import (
    AS_ARRAY,
    SHAPES,
    ReplyStyle,
    Row,
    Shape,
    asked_and_replied,
    dataset_info,
    reply_of,
)
from store.errors import InputError
from store.formats import manifest, parquet
from store.formats.folder import ExportFolder, whole_folder, write_manifest
from store.formats.jsonl import read_jsonl
from store.formats.manifest import FOLLOWING, Manifest
from store.history.names import Names
from store.labels import standing
from store.workspace import Workspace

FORMAT = "judge"
VERSION = 2
"""1 asked for a reason in every row, and for `value` whatever the style of the reply."""
DEFAULT_SHAPES: tuple[Shape, ...] = ("trl", "openai", "alpaca", "sharegpt")


class JudgeExport(Struct, frozen=True):
    """The form in which to write the labels that `wanted` names."""

    wanted: Wanted
    shapes: tuple[Shape, ...] = DEFAULT_SHAPES
    parquet: bool = False
    """Needs the extra `parquet`."""
    anonymous: bool = False


def export_judge(
    workspace: Workspace, export: JudgeExport, out: Path, *, force: bool = False
) -> Manifest:
    """Writes the bundle into the folder `out`, whole or not at all.

    The same labels give the same bytes. Raises InputError when nothing is labelled, when nothing of
    it can be exported, and when `out` holds other files.
    """
    names = Names.of(workspace.db, anonymous=export.anonymous)
    bundle = gather(workspace, export.wanted, names)
    if not bundle.all:
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in bundle.left_out.items())
        raise InputError(f"No label can be exported: {reasons}.", "Adjudicate, or label more.")
    with whole_folder(out, force=force) as folder:
        counts = _write_files(folder, bundle, export)
        folder.text("README.md", _card(workspace, bundle, export, names))
        return write_manifest(
            folder,
            FORMAT,
            VERSION,
            _source(bundle, export),
            counts,
            by_status=by_status(bundle),
            by_rater=_by_rater(bundle.all),
            by_guideline=_by_guideline(bundle.all, export.wanted.form),
            notes=_notes(bundle),
        )


def _write_files(folder: ExportFolder, bundle: Bundle, export: JudgeExport) -> dict[str, int]:
    registered = []
    wanted = export.wanted
    counts = sizes(bundle.all)
    for template, text in sorted(bundle.prompts.texts.items()):
        folder.text(f"prompts/{template}.txt", text)
    for side in SIDES:
        records = bundle.records[side]
        if not records:
            continue
        folder.json_lines(f"records/{side}.jsonl", records)
        for shape in export.shapes:
            rows = _rows(shape, bundle.prompts, records, wanted)
            write_rows(folder, shape, side, rows)
            if shape in AS_ARRAY:
                registered.append((shape, side, file_name(shape, side)))
        if export.parquet:
            rows = _parquet_rows(bundle.prompts, records, wanted)
            folder.data(f"parquet/{side}.parquet", _table(rows), len(rows))
    for shape in export.shapes:
        counts[f"{shape} {FOLLOWING}"] = len(bundle.all)
    if registered:
        folder.json("dataset_info.json", dataset_info(registered))
    return counts


def sizes(records: Sequence[JudgeRecord]) -> dict[str, int]:
    """The numbers of labels, answers and questions, and of labels on each side."""
    by_side = Counter(record.split for record in records)
    return {
        "labels": len(records),
        "answers": len({record.response_id for record in records}),
        "questions": len({record.group_id for record in records}),
        **{f"{side} labels": by_side[side] for side in SIDES},
    }


def _rows(
    shape: Shape,
    prompts: JudgePrompts,
    records: Sequence[JudgeRecord],
    wanted: Wanted,
) -> list[Row]:
    make = SHAPES[shape]
    return [
        make(*asked_and_replied(prompts, record, wanted.reply, rationale=wanted.rationale))
        for record in records
    ]


def _rows_of_version_1(
    shape: Shape, prompts: JudgePrompts, records: Sequence[JudgeRecord], wanted: Wanted
) -> list[Row]:
    rows = []
    for record in records:
        system, user = judge_messages(prompts, record.as_case(), record.metric)
        reply = reply_of(record, wanted.reply, record.rationale if wanted.rationale else "")
        rows.append(SHAPES[shape](system, user, reply))
    return rows


def _parquet_rows(
    prompts: JudgePrompts, records: Sequence[JudgeRecord], wanted: Wanted
) -> list[Row]:
    shaped = _rows("trl", prompts, records, wanted)
    flat = [
        {
            "id": record.id,
            "metric": record.metric,
            "label": record.label,
            "group_id": record.group_id,
            "response_id": record.response_id,
            "topic": record.topic,
            "task": record.task,
            "lang": record.lang,
            "source": record.source,
            "rater_labels": list(record.rater_labels),
            "agreement": record.agreement,
        }
        for record in records
    ]
    return [{**row, **more} for row, more in zip(shaped, flat, strict=True)]


def _table(rows: list[Row]) -> bytes:
    pa = parquet.library()
    turn = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
    text = ("id", "metric", "group_id", "response_id", "topic", "task", "lang", "source")
    schema = pa.schema(
        [
            ("prompt", turn),
            ("completion", turn),
            *((name, pa.string()) for name in text),
            ("label", pa.int8()),
            ("rater_labels", pa.list_(pa.int8())),
            ("agreement", pa.float64()),
        ]
    )
    out = io.BytesIO()
    pa.parquet.write_table(pa.Table.from_pylist(rows, schema=schema), out, compression="zstd")
    return out.getvalue()


def _card(workspace: Workspace, bundle: Bundle, export: JudgeExport, names: Names) -> str:
    form = find_form(workspace.db, export.wanted.form)
    rated = [
        one
        for one in standing.rated(workspace.db, form)
        if one.subject.base in bundle.answers and one.field in export.wanted.metrics
    ]
    configs = [
        (shape, [(side, file_name(shape, side)) for side in SIDES if bundle.records[side]])
        for shape in export.shapes
    ]
    versions = sorted({one for record in bundle.all for one in record.guideline_versions})
    return write_card(bundle, agreement(rated, form), configs, versions)


def _source(bundle: Bundle, export: JudgeExport) -> dict[str, str]:
    wanted = export.wanted
    return {
        "form": wanted.form,
        "sample": wanted.sample or "all",
        "runs": ",".join(wanted.runs) or "all",
        "metrics": ",".join(wanted.metrics),
        "split": wanted.split,
        "prompts": wanted.prompts,
        "shapes": ",".join(export.shapes),
        "reply": wanted.reply,
        "rationale": "yes" if wanted.rationale else "no",
        **({"min_raters": str(wanted.min_raters)} if wanted.min_raters > 1 else {}),
        "raters": "pseudonyms" if export.anonymous else "names",
        "state": state_hash(bundle.all),
    }


def by_status(bundle: Bundle) -> dict[str, int]:
    """Labels by how they came about; those that are left out, by reason."""
    return {**Counter(record.source for record in bundle.all), **bundle.left_out}


def _by_rater(records: Sequence[JudgeRecord]) -> dict[str, int]:
    return dict(Counter(rater for record in records for rater in record.raters))


def _by_guideline(records: Sequence[JudgeRecord], form_key: str) -> dict[str, int]:
    return dict(
        Counter(
            f"{form_key} {version}"
            for record in records
            for version in record.guideline_versions or ("-",)
        )
    )


def _notes(bundle: Bundle) -> tuple[str, ...]:
    return tuple(f"{count:,} left out: {reason}" for reason, count in bundle.left_out.items())


def recount(folder: Path) -> dict[str, int]:
    """Counts what the files hold: the records, and how many rows of every shape follow from them
    and the templates beside them, with a reason asked for exactly where one is given."""
    return _recount(folder, _rows)


def recount_version_1(folder: Path) -> dict[str, int]:
    """As `recount`, of an export in which every row asked for a reason."""
    return _recount(folder, _rows_of_version_1)


RECOUNTS = {(FORMAT, 1): recount_version_1, (FORMAT, VERSION): recount}
"""By format and version."""


def _recount(folder: Path, rows_of: Callable[..., list[Row]]) -> dict[str, int]:
    source = manifest.read(folder).source
    prompts = JudgePrompts(source["prompts"], _templates(folder))
    wanted = Wanted(
        reply=msgspec.convert(source["reply"], ReplyStyle), rationale=source["rationale"] == "yes"
    )
    shapes = [one for one in SHAPES if one in source["shapes"].split(",")]
    every: list[JudgeRecord] = []
    followed: Counter[str] = Counter()
    for side in SIDES:
        file = folder / "records" / f"{side}.jsonl"
        records = [one for _, one in read_jsonl(file, JudgeRecord)] if file.exists() else []
        every += records
        for shape in shapes:
            if records:
                expected = rows_of(shape, prompts, records, wanted)
                rows = read_rows(folder / file_name(shape, side))
                followed[shape] += sum(a == b for a, b in zip(expected, rows, strict=False))
    return {
        **sizes(every),
        **{f"{shape} {FOLLOWING}": followed[shape] for shape in shapes},
        **{f"rater {rater}": count for rater, count in _by_rater(every).items()},
        **{
            f"guideline {name}": count
            for name, count in _by_guideline(every, source["form"]).items()
        },
    }


def _templates(folder: Path) -> dict[str, str]:
    root = folder / "prompts"
    return {
        file.relative_to(root).with_suffix("").as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(root.rglob("*.txt"))
    }
