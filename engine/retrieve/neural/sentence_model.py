"""Embeddings by sentence-transformers."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engine.retrieve.index.embedding import Fit, Role, sample
from engine.retrieve.index.ranking import Vectors
from engine.retrieve.neural.weights import (
    computing,
    dtype_of,
    import_sentence_transformers,
    load_arguments,
    loading,
    weights_id,
)
from store.systems import EmbeddingConfig

_DECLARED: Mapping[Role, tuple[str, ...]] = {
    "query": ("query",),
    "document": ("document", "passage", "corpus"),
}


class SentenceModel:
    """A sentence-transformers model, loaded on first use.

    Instructions go through the library's own `prompt`, so that models which leave the
    instruction out of their pooling keep doing so. It is always given, even when empty: else the
    library would add a default of the model's to either side.
    """

    part_size = 256

    def __init__(self, config: EmbeddingConfig) -> None:
        self._config = config
        # fast tokenizers refuse a second thread
        self._lock = threading.Lock()

    def identity(self) -> Mapping[str, int | float | str]:
        config = self._config
        instruction = config.document_instruction
        return {
            "weights": weights_id(config),
            "dtype": dtype_of(config),
            "max_length": config.max_length or "the model's own",
            "document_instruction": "the model's own" if instruction is None else repr(instruction),
        }

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        model = _load(self._config)
        encode = model.encode_query if role == "query" else model.encode_document
        with self._lock, computing(self._config):
            vectors: Vectors = encode(
                list(texts),
                prompt=self.instruction(role),
                batch_size=self._config.batch,
                show_progress_bar=False,
            )
        return vectors

    def embed_each(self, texts: Sequence[str], role: Role) -> Vectors:
        """Texts of equal length are embedded together, so that none is padded, and on one thread:
        padding and threads move the last digits, and threads wait for each other where other
        processes keep the processors busy."""
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            groups = self._of_equal_length(texts, role)
            parts = [self.embed([texts[at] for at in group], role) for group in groups]
        finally:
            torch.set_num_threads(threads)
        vectors: Vectors = np.concatenate(parts)[np.argsort(np.concatenate(groups))]
        return vectors

    def _of_equal_length(self, texts: Sequence[str], role: Role) -> list[list[int]]:
        """The places of texts that have as many tokens; each alone where that is not known."""
        tokenizer = _tokenizer(_load(self._config))
        if tokenizer is None:
            return [[at] for at in range(len(texts))]
        instruction = self.instruction(role)
        with self._lock:
            rows = tokenizer([instruction + text for text in texts], truncation=False)["input_ids"]
        groups: dict[int, list[int]] = {}
        for at, row in enumerate(rows):
            groups.setdefault(len(row), []).append(at)
        return list(groups.values())

    def instruction(self, role: Role) -> str:
        """The instruction before every text of that side."""
        config = self._config
        given = config.query_instruction if role == "query" else config.document_instruction
        if given is not None:
            return given
        declared: Mapping[str, str] = _load(config).prompts
        return next((declared[name] for name in _DECLARED[role] if declared.get(name)), "")

    def fit(self, texts: Sequence[str]) -> Fit | None:
        model = _load(self._config)
        tokenizer = _tokenizer(model)
        if tokenizer is None:
            return None
        with self._lock:
            rows = tokenizer(sample(texts), add_special_tokens=False, truncation=False)["input_ids"]
        total = sum(map(len, rows)) or 1
        unknown = sum(row.count(tokenizer.unk_token_id) for row in rows)
        room = _room(model, tokenizer)
        read = total if room is None else sum(min(len(row), room) for row in rows)
        return Fit(unknown / total, 1 - read / total, model.max_seq_length)


def _tokenizer(model: Any) -> Any:
    """The tokenizer of transformers that the model has; None where it has another."""
    from transformers import PreTrainedTokenizerBase

    return model.tokenizer if isinstance(model.tokenizer, PreTrainedTokenizerBase) else None


def _room(model: Any, tokenizer: Any) -> int | None:
    """The number of a text's own tokens that the model reads."""
    length: int | None = model.max_seq_length
    return None if length is None else max(1, length - tokenizer.num_special_tokens_to_add())


@functools.lru_cache(maxsize=3)
def _load(config: EmbeddingConfig) -> Any:
    library = import_sentence_transformers()
    with loading(config):
        model = library.SentenceTransformer(config.model, **load_arguments(config))
    if config.max_length is not None:
        model.max_seq_length = config.max_length
    return model
