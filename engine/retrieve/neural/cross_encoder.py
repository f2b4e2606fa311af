"""Cross-encoders by sentence-transformers."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

from engine.retrieve.neural.weights import (
    computing,
    import_sentence_transformers,
    load_arguments,
    loading,
)
from store.errors import InputError
from store.systems import RerankerConfig


class CrossEncoderReranker:
    """Reads the query together with each text; loaded on first use."""

    def __init__(self, config: RerankerConfig) -> None:
        self._config = config
        # fast tokenizers refuse a second thread
        self._lock = threading.Lock()

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """One score for each text on the model's own scale (most give 0 to 1), higher is better.

        Raises InputError when the model cannot be loaded or gives several scores for a pair.
        """
        return self._predict(query, texts, None)

    def probabilities(self, text: str, others: Sequence[str]) -> list[float]:
        """The sigmoid of the logit of `text` read before each of `others`, whatever scale the model
        itself gives. Raises what `score` raises."""
        from torch.nn import Sigmoid

        return self._predict(text, others, Sigmoid())

    def _predict(self, query: str, texts: Sequence[str], activation: Any) -> list[float]:
        if not texts:
            return []
        model = _load(self._config)
        with self._lock, computing(self._config):
            scores: list[float] = model.predict(
                [(query, text) for text in texts],
                prompt=self._config.instruction,
                batch_size=self._config.batch,
                show_progress_bar=False,
                activation_fn=activation,
            ).tolist()
        return scores


@functools.lru_cache(maxsize=3)
def _load(config: RerankerConfig) -> Any:
    library = import_sentence_transformers()
    with loading(config):
        model = library.CrossEncoder(
            config.model, max_length=config.max_length, **load_arguments(config)
        )
    if model.num_labels != 1:
        raise InputError(
            f"The model {config.name!r} ({config.model}) gives {model.num_labels} scores for a"
            " pair, so it is not a reranker.",
            "Use a cross-encoder that was trained to rank.",
        )
    return model
