"""Vectors of tokens, as a model's hidden states give them, by transformers."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from engine.retrieve.neural.weights import (
    computing,
    import_sentence_transformers,
    load_arguments,
    loading,
)
from store.errors import InputError
from store.systems import EmbeddingConfig

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# fast tokenizers refuse a second thread
_LOCK = threading.Lock()


class Tokens(Struct, frozen=True):
    """The tokens of a text as a model sees them."""

    vectors: NDArray[np.float32]
    """A row of length 1 for each token, those that the model adds included."""
    own: NDArray[np.bool_]
    """False for tokens that the model adds, such as [CLS]."""
    is_cut: bool = False
    """Whether the model did not read the text to its end."""


def token_vectors(
    config: EmbeddingConfig, texts: Sequence[str], layer: int | None = None
) -> list[Tokens]:
    """The tokens of each text at a layer, counted from 0 for the embeddings, or at the last.

    Raises RagdeskError when the extra `neural` is missing, InputError when the model cannot be
    loaded or has fewer layers.
    """
    import torch

    tokenizer, model = _load(config)
    layers = model.config.num_hidden_layers
    if layer is not None and layer > layers:
        raise InputError(
            f"The embedding {config.name!r} has {layers} layers, and layer {layer} was asked for.",
            f"Set `layer` to 0 to {layers}, or leave it out for the last.",
        )
    most = _most_tokens(config, tokenizer, model)
    found = []
    with _LOCK, computing(config), torch.inference_mode():
        for text in texts:
            read = tokenizer(
                text,
                truncation=most is not None,
                max_length=most,
                return_overflowing_tokens=True,
                return_special_tokens_mask=True,
            )
            ids = torch.tensor([read["input_ids"][0]], device=model.device)
            states = model(
                input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True
            ).hidden_states[layers if layer is None else layer][0]
            vectors = torch.nn.functional.normalize(states.float(), dim=-1).cpu().numpy()
            own = torch.tensor(read["special_tokens_mask"][0]).logical_not().numpy()
            found.append(Tokens(vectors, own, len(read["input_ids"]) > 1))
    return found


def _most_tokens(config: EmbeddingConfig, tokenizer: Any, model: Any) -> int | None:
    """The longest input in tokens; null when there is none."""
    known = (
        config.max_length,
        tokenizer.model_max_length,
        getattr(model.config, "max_position_embeddings", None),
    )
    # a tokenizer without a limit names a number beyond all texts
    return min((length for length in known if length and length < 10**9), default=None)


@functools.lru_cache(maxsize=2)
def _load(config: EmbeddingConfig) -> tuple[Any, Any]:
    import_sentence_transformers()
    from transformers import AutoModel, AutoTokenizer

    with loading(config):
        given = load_arguments(config)
        shared = {name: given[name] for name in ("revision", "trust_remote_code")}
        shared = {name: value for name, value in shared.items() if value}
        tokenizer = AutoTokenizer.from_pretrained(config.model, **shared)
        model = AutoModel.from_pretrained(config.model, **shared, **given["model_kwargs"])
    return tokenizer, model.to(given["device"]).eval()
