"""A tiny random language model with a tokenizer and a chat template, made here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
_SPECIAL = ["<|pad|>", "<|end|>", "<|system|>", "<|user|>", "<|assistant|>"]


def make_language_model(folder: Path, *, chat_template: bool = True) -> Path:
    """Two layers of 32; bytes as tokens, so that it reads Chinese and English alike."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: at for at, token in enumerate([*_SPECIAL, *alphabet])}
    plain = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=plain,
        eos_token="<|end|>",
        pad_token="<|pad|>",
        additional_special_tokens=_SPECIAL[2:],
    )
    if chat_template:
        tokenizer.chat_template = _TEMPLATE
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(vocabulary),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            max_position_embeddings=4096,
            pad_token_id=0,
            eos_token_id=1,
            bos_token_id=1,
            # so wide that adapters alone, with the output layer as it is, can say anything
            initializer_range=0.4,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def one_step_with_trl(rows: list[dict[str, Any]], folder: Path) -> float:
    """The loss of one step of TRL's own trainer on exported rows, by a tiny model made there."""
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    config = SFTConfig(
        output_dir=str(folder / "trained"),
        max_steps=1,
        per_device_train_batch_size=2,
        # bytes are its tokens: a cut would leave no reply to learn
        max_length=None,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        bf16=False,
        disable_tqdm=True,
    )
    base = make_language_model(folder / "base")
    trainer = SFTTrainer(str(base), config, train_dataset=Dataset.from_list(rows))
    return float(trainer.train().training_loss)
