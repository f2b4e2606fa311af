"""Fitting a LoRA adapter with TRL: the trainer, its checkpoints, and what it came to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.training.lora.base_model import template_options, token_ids
from engine.training.lora.rows import Row
from engine.training.lora.settings import LoraSettings

Say = Callable[[str], None]


class Fitted(Struct):
    """A model with its adapter, and how the training went."""

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


def fit(
    model: Any,
    tokenizer: Any,
    training: Sequence[Row],
    settings: LoraSettings,
    folder: Path,
    say: Say,
) -> Fitted:
    """Trains the adapter into `folder`, from the last whole checkpoint on."""
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
    return Fitted(
        model=trainer.model,
        steps=int(trainer.state.global_step),
        loss=round(sum(recent) / len(recent), 6) if recent else 0.0,
        seconds=round(seconds, 3),
        tokens_per_second=round(seen / seconds, 1) if seconds else 0.0,
        device=str(trainer.model.device),
    )


def _last_checkpoint(folder: Path) -> Path | None:
    """The latest checkpoint that was written to its end."""
    checkpoints = [
        file.parent
        for file in folder.glob("checkpoint-*/trainer_state.json")
        if file.parent.name.rpartition("-")[2].isdigit()
    ]
    return max(checkpoints, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
