"""Embeddings by sentence-transformers."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

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

    def instruction(self, role: Role) -> str:
        """The instruction before every text of that side."""
        config = self._config
        given = config.query_instruction if role == "query" else config.document_instruction
        if given is not None:
            return given
        declared: Mapping[str, str] = _load(config).prompts
        return next((declared[name] for name in _DECLARED[role] if declared.get(name)), "")

    def fit(self, texts: Sequence[str]) -> Fit | None:
        from transformers import PreTrainedTokenizerBase

        model = _load(self._config)
        tokenizer = model.tokenizer
        if not isinstance(tokenizer, PreTrainedTokenizerBase):
            return None
        with self._lock:
            rows = tokenizer(sample(texts), add_special_tokens=False, truncation=False)["input_ids"]
        total = sum(map(len, rows)) or 1
        unknown = sum(row.count(tokenizer.unk_token_id) for row in rows)
        room = _room(model, tokenizer)
        read = total if room is None else sum(min(len(row), room) for row in rows)
        return Fit(unknown / total, 1 - read / total, model.max_seq_length)


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
