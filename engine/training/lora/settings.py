"""The settings of a fine-tuning, and their check before anything heavy is imported."""

from __future__ import annotations

import importlib.util

from msgspec import Struct

from store.errors import UsageError, WorkspaceError

_LIBRARIES = ("torch", "transformers", "peft", "trl", "datasets")


class LoraSettings(Struct, frozen=True):
    """LoRA (Hu et al. 2021, arXiv 2106.09685) by completion-only loss."""

    base: str
    """A causal language model with a chat template: a folder, or a name that the library finds."""
    rank: int = 16
    """Of the adapters; at most 32 is what inference servers take without being told."""
    alpha: int = 32
    dropout: float = 0.05
    epochs: float = 3.0
    learning_rate: float = 1e-4
    batch_size: int = 4
    """Rows at once."""
    accumulate: int = 4
    """Batches for one step."""
    max_length: int = 4096
    """Tokens of prompt and reply; longer rows are left out and counted, never cut: a cut loses the
    reply first."""
    seed: int = 0

    def check(self) -> None:
        """UsageError, naming the option, for a value that nothing can be trained with."""
        ranges = (
            ("rank", self.rank, 1, 512),
            ("epochs", self.epochs, 0.01, 1000),
            ("learning-rate", self.learning_rate, 1e-8, 1),
            ("batch-size", self.batch_size, 1, 1024),
            ("accumulate", self.accumulate, 1, 4096),
            ("max-length", self.max_length, 16, 1_000_000),
        )
        for option, value, low, high in ranges:
            if not low <= value <= high:
                raise UsageError(
                    f"{option} is {value:g}.", f"Use {low:g} to {high:,}.", f"--{option}"
                )


def check_libraries() -> None:
    """WorkspaceError when the extra is not installed."""
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        raise WorkspaceError(
            f"Fine-tuning needs {', '.join(missing)}, which is not installed.",
            "Install it with `pip install 'ragdesk[train]'`.",
        )
