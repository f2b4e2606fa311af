"""LoRA fine-tuning of a causal language model on exported judge data.

The folder of a training is whole after every step that it names: a training that was stopped goes
on from its last checkpoint, and an evaluation from the last reply that it wrote down.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from engine.calibration.records import MetricCalibration
from engine.training.data import JudgeData, Row, read_judge_data, split_by_length
from engine.training.lora_card import write_lora_card
from engine.training.replies import evaluate, read_replies, write_replies
from engine.training.settings import LoraSettings, check_libraries
from store.errors import Conflict, InputError
from store.hashing import content_hash

EVALUATED = ("validation", "test")
_SETTINGS, _REPORT, _CARD = "lora.json", "report.json", "README.md"
Say = Callable[[str], None]


class _Frozen(Struct, frozen=True):
    """What a folder was begun with: going on with anything else would mix two trainings."""

    settings: LoraSettings
    data: str
    """Hash of the exported labels."""


class LoraReport(Struct, frozen=True):
    name: str
    folder: str
    settings: LoraSettings
    source: dict[str, str]
    trained: int
    """Rows on the training side that were used."""
    too_long: dict[str, int]
    """Rows left out by side, over `max_length`."""
    steps: int
    loss: float
    """Mean over the last steps, in nats a token of the reply."""
    seconds: float
    tokens_per_second: float
    """Of prompts and replies, over all epochs."""
    device: str
    evaluated: dict[str, tuple[MetricCalibration, ...]]
    """By side: all metrics pooled first, then each; against the labels of people."""


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
    fitted = _train(model, tokenizer, training, settings, folder, say)
    found: dict[str, tuple[MetricCalibration, ...]] = {}
    for side in EVALUATED:
        if rows.sides.get(side):
            say(f"replying to the {side} side")
            found[side] = _evaluate(fitted.model, tokenizer, rows, side, settings, folder, say)
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
        evaluated=found,
    )
    (folder / _CARD).write_text(write_lora_card(made, rows.reply), encoding="utf-8")
    report.write_bytes(msgspec.json.encode(made))
    return made


def load_base(base: str) -> tuple[Any, Any]:
    """The model and its tokenizer. InputError when there is none or it has no chat template."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(base)
        dtype = torch.bfloat16 if torch.cuda.is_available() else torch.float32
        model = AutoModelForCausalLM.from_pretrained(base, dtype=dtype)
    except (OSError, ValueError, KeyError) as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(
            f"{base!r} cannot be loaded as a language model: {first}",
            "Name a folder with a model, or one that can be downloaded from here.",
        ) from error
    if tokenizer.chat_template is None:
        raise InputError(
            f"{base!r} has no chat template.", "Take an instruction-tuned model as the base."
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return model, tokenizer


def _freeze(folder: Path, wanted: _Frozen) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / _SETTINGS
    if not file.exists():
        if any(folder.iterdir()):
            raise Conflict(f"{folder} holds something else.", "Choose another name.")
        file.write_bytes(msgspec.json.encode(wanted))
        return
    begun = msgspec.json.decode(file.read_bytes(), type=_Frozen)
    if content_hash(begun) != content_hash(wanted):
        changed = "other labels" if begun.data != wanted.data else "other settings"
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
            "Raise --max-length, or export fewer retrieved documents.",
        )
    return training, too_long


def token_ids(
    tokenizer: Any, messages: Sequence[dict[str, str]], *, reply_follows: bool = False
) -> list[int]:
    """A conversation as tokens. Models that can think aloud are told not to: the replies that they
    learn from have no thoughts."""
    found = tokenizer.apply_chat_template(
        list(messages),
        tokenize=True,
        add_generation_prompt=reply_follows,
        return_dict=True,
        **template_options(tokenizer),
    )["input_ids"]
    return list(found)


def template_options(tokenizer: Any) -> dict[str, bool]:
    return {"enable_thinking": False} if "enable_thinking" in tokenizer.chat_template else {}


class _Fitted(Struct):
    model: Any
    steps: int
    loss: float
    seconds: float
    tokens_per_second: float
    device: str


def make_trainer(
    model: Any, tokenizer: Any, training: Sequence[Row], settings: LoraSettings, folder: Path
) -> Any:
    """TRL's trainer with an adapter on every linear layer and the loss on replies alone."""
    import torch
    from datasets import Dataset, disable_progress_bars
    from peft import LoraConfig
    from trl import SFTConfig, SFTTrainer

    disable_progress_bars()
    options = template_options(tokenizer)
    rows = [
        {
            "prompt": list(row.prompt),
            "completion": list(row.completion),
            **({"chat_template_kwargs": options} if options else {}),
        }
        for row in training
    ]
    config = SFTConfig(
        output_dir=str(folder / "checkpoints"),
        completion_only_loss=True,
        max_length=settings.max_length,
        num_train_epochs=settings.epochs,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="cosine",
        per_device_train_batch_size=settings.batch_size,
        gradient_accumulation_steps=settings.accumulate,
        bf16=torch.cuda.is_available(),
        save_strategy="steps",
        save_steps=_save_every(len(rows), settings),
        save_total_limit=2,
        logging_steps=1,
        report_to=[],
        seed=settings.seed,
        data_seed=settings.seed,
        disable_tqdm=True,
        use_cpu=not torch.cuda.is_available(),
        dataloader_pin_memory=torch.cuda.is_available(),
    )
    adapter = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    return SFTTrainer(
        model=model,
        args=config,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
        peft_config=adapter,
    )


def _save_every(rows: int, settings: LoraSettings) -> int:
    """Steps from one checkpoint to the next: ten of them over the whole training."""
    steps = rows * settings.epochs / (settings.batch_size * settings.accumulate)
    return max(1, round(steps / 10))


def _train(
    model: Any,
    tokenizer: Any,
    training: Sequence[Row],
    settings: LoraSettings,
    folder: Path,
    say: Say,
) -> _Fitted:
    from transformers import TrainerCallback

    class Progress(TrainerCallback):  # type: ignore[misc]
        def on_log(
            self, args: Any, state: Any, control: Any, logs: Any = None, **more: Any
        ) -> None:
            if logs and "loss" in logs:
                say(f"step {state.global_step} of {state.max_steps}, loss {logs['loss']:.3f}")

    trainer = make_trainer(model, tokenizer, training, settings, folder)
    trainer.add_callback(Progress())
    # one line of ours a step; the trainer would print its own dictionaries beside it
    from transformers.trainer_callback import PrinterCallback

    trainer.remove_callback(PrinterCallback)
    last = _last_checkpoint(folder / "checkpoints")
    if last is not None:
        say(f"going on from {last.name}")
    began = time.monotonic()
    trainer.train(resume_from_checkpoint=str(last) if last is not None else None)
    seconds = time.monotonic() - began
    adapter = folder / "adapter"
    trainer.save_model(str(adapter))
    tokenizer.save_pretrained(str(adapter))
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    seen = float(getattr(trainer.state, "num_input_tokens_seen", 0)) or settings.epochs * sum(
        len(token_ids(tokenizer, [*row.prompt, *row.completion])) for row in training
    )
    recent = losses[-10:]
    return _Fitted(
        model=trainer.model,
        steps=int(trainer.state.global_step),
        loss=round(sum(recent) / len(recent), 6) if recent else 0.0,
        seconds=round(seconds, 3),
        tokens_per_second=round(seen / seconds, 1) if seconds else 0.0,
        device=str(trainer.model.device),
    )


def _last_checkpoint(folder: Path) -> Path | None:
    """The latest checkpoint that was written to its end."""
    found = [
        file.parent
        for file in folder.glob("checkpoint-*/trainer_state.json")
        if file.parent.name.rpartition("-")[2].isdigit()
    ]
    return max(found, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


def _evaluate(
    model: Any,
    tokenizer: Any,
    data: JudgeData,
    side: str,
    settings: LoraSettings,
    folder: Path,
    say: Say,
) -> tuple[MetricCalibration, ...]:
    rows = data.sides[side]
    file = folder / f"replies-{side}.jsonl"
    known = read_replies(file)
    left = [row for row in rows if row.record.id not in known]
    for at in range(0, len(left), settings.batch_size):
        batch = left[at : at + settings.batch_size]
        replies = _generate(model, tokenizer, batch)
        write_replies(
            file, {row.record.id: reply for row, reply in zip(batch, replies, strict=True)}
        )
        if at % (10 * settings.batch_size) == 0:
            say(f"{side}: {len(rows) - len(left) + at + len(batch)} of {len(rows)}")
    return evaluate(rows, read_replies(file), data.reply)


_REPLY_TOKENS = 64


def _generate(model: Any, tokenizer: Any, rows: Sequence[Row]) -> list[str]:
    """A greedy reply to each prompt."""
    import torch

    prompts = [token_ids(tokenizer, row.prompt, reply_follows=True) for row in rows]
    width = max(map(len, prompts))
    pad = tokenizer.pad_token_id
    # on the left, so that every reply begins at the same place
    ids = torch.tensor([[pad] * (width - len(one)) + one for one in prompts], device=model.device)
    mask = torch.tensor(
        [[0] * (width - len(one)) + [1] * len(one) for one in prompts], device=model.device
    )
    model.eval()
    with torch.no_grad():
        out = model.generate(
            input_ids=ids,
            attention_mask=mask,
            max_new_tokens=_REPLY_TOKENS,
            do_sample=False,
            pad_token_id=pad,
        )
    return [str(tokenizer.decode(reply[width:], skip_special_tokens=True)).strip() for reply in out]
