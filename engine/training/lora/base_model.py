"""The language model that is fine-tuned, and how conversations become its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from store.errors import InputError


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


def token_ids(
    tokenizer: Any, messages: Sequence[dict[str, str]], *, reply_follows: bool = False
) -> list[int]:
    """A conversation as tokens. Models that can think aloud are told not to: the replies that they
    learn from have no thoughts."""
    ids = tokenizer.apply_chat_template(
        list(messages),
        tokenize=True,
        add_generation_prompt=reply_follows,
        return_dict=True,
        **template_options(tokenizer),
    )["input_ids"]
    return list(ids)


def template_options(tokenizer: Any) -> dict[str, bool]:
    return {"enable_thinking": False} if "enable_thinking" in tokenizer.chat_template else {}
