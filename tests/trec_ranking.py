"""The order in which trec_eval ranks the scores of a run."""

from __future__ import annotations

import struct
from collections.abc import Mapping


def rank_by_score(scores: Mapping[str, float]) -> list[str]:
    """Ids by falling score; equal scores by falling id."""
    return [doc for _, doc in sorted(((s, doc) for doc, s in scores.items()), reverse=True)]


def single(score: float) -> float:
    """The nearest single-precision number: trec_eval ties scores that differ by less."""
    (value,) = struct.unpack("f", struct.pack("f", score))
    return float(value)
