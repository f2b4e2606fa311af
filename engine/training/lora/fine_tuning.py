"""LoRA fine-tuning of a causal language model on exported judge data.

The folder of a training is whole after every step that it names: a training that was stopped goes
on from its last checkpoint, and an evaluation from the last reply that it wrote down.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.calibration.calibration_records import MetricCalibration
from engine.training.lora.base_model import load_base, token_ids
from engine.training.lora.card import write_lora_card
from engine.training.lora.replying import reply_to_side
from engine.training.lora.report import LoraReport
from engine.training.lora.rows import JudgeData, Row, read_judge_data, split_by_length
from engine.training.lora.settings import LoraSettings, check_libraries
from engine.training.lora.trainer import Say, fit
from store.errors import Conflict, InputError
from store.hashing import content_hash
from store.sharing.modes import make_folder, settle

EVALUATED = ("validation", "test")
_SETTINGS, _REPORT, _CARD = "lora.json", "report.json", "README.md"


class _Frozen(Struct, frozen=True):
    """The settings and data that a folder was begun with: other ones would mix two trainings."""

    settings: LoraSettings
    data: str
    """Hash of the exported labels."""


def train_lora(name: str, data: Path, folder: Path, settings: LoraSettings, say: Say) -> LoraReport:
    """Trains on the exported folder `data`, into `folder`; goes on where it was stopped.

    Leaves `adapter/` (with the tokenizer), `replies-SIDE.jsonl`, `report.json` and the card. `say`
    gets a sentence now and then. Raises WorkspaceError without the extra, InputError for data or a
    model that cannot be trained, Conflict when `folder` was begun with other data or settings.
    """
    settings.check()
    check_libraries()
    rows = read_judge_data(data)
    _freeze(folder, _Frozen(settings, rows.source["state"]))
    report = folder / _REPORT
    if report.exists():
        say("this judge has been trained already")
        return msgspec.json.decode(report.read_bytes(), type=LoraReport)
    # nothing is fetched or sent that the operator did not ask for
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # what the libraries tell each other of their next versions is no message to an operator
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
    say(f"loading {settings.base}")
    model, tokenizer = load_base(settings.base)
    training, too_long = _fitting(rows, tokenizer, settings)
    fitted = fit(model, tokenizer, training, settings, folder, say)
    evaluated: dict[str, tuple[MetricCalibration, ...]] = {}
    for side in EVALUATED:
        if rows.sides.get(side):
            say(f"replying to the {side} side")
            evaluated[side] = reply_to_side(
                fitted.model, tokenizer, rows, side, settings, folder, say
            )
    made = LoraReport(
        name=name,
        folder=str(folder),
        settings=settings,
        source=rows.source,
        trained=len(training),
        too_long=too_long,
        steps=fitted.steps,
        loss=fitted.loss,
        seconds=fitted.seconds,
        tokens_per_second=fitted.tokens_per_second,
        device=fitted.device,
        evaluated=evaluated,
    )
    (folder / _CARD).write_text(write_lora_card(made, rows.reply), encoding="utf-8")
    report.write_bytes(msgspec.json.encode(made))
    settle(folder)
    return made


def _freeze(folder: Path, frozen: _Frozen) -> None:
    make_folder(folder)
    file = folder / _SETTINGS
    if not file.exists():
        if any(folder.iterdir()):
            raise Conflict(f"{folder} holds something else.", "Choose another name.")
        file.write_bytes(msgspec.json.encode(frozen))
        return
    begun = msgspec.json.decode(file.read_bytes(), type=_Frozen)
    if content_hash(begun) != content_hash(frozen):
        changed = "other labels" if begun.data != frozen.data else "other settings"
        raise Conflict(
            f"{folder} was begun with {changed}.",
            "Choose another name; or remove the folder to begin anew.",
        )


def _fitting(
    data: JudgeData, tokenizer: Any, settings: LoraSettings
) -> tuple[list[Row], dict[str, int]]:
    """The training rows that are short enough, and how many of every side are not."""
    too_long: dict[str, int] = {}
    training: list[Row] = []
    for side, rows in data.sides.items():
        lengths = [len(token_ids(tokenizer, [*row.prompt, *row.completion])) for row in rows]
        kept, longer = split_by_length(rows, lengths, settings.max_length)
        if longer:
            too_long[side] = longer
        if side == "train":
            training = kept
    if not training:
        raise InputError(
            f"Every training row is longer than {settings.max_length:,} tokens.",
            "Allow longer rows, or export fewer retrieved documents.",
            "--max-length",
        )
    return training, too_long
