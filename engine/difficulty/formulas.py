"""RD, GD and RGD: how hard a question is, from similarities and places alone (AutoEvolve, Zhang et
al., §3.4, equations 1 to 3)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Sequence

LAMBDA = 20.0
"""The weight of RD beside GD; the paper's, which found 10 to 50 useful."""

_OPERATION = re.compile(r"[a-z_]+\(")


def retrieval_difficulty(candidates: Sequence[float], golden: Sequence[float]) -> float:
    """RD = max over r of sim(q, r) - mean over g of sim(q, g): how far the golden references lie
    behind the candidate that is most like the question (equation 1).

    0 or more where the golden references are among the candidates; 0 exactly for a single one that
    is the nearest. Raises ValueError where either is empty.
    """
    if not golden or not candidates:
        raise ValueError("RD needs candidates and a golden reference")
    nearest = max(candidates)
    # the mean of the gaps, so that rounding never leads below 0
    return math.fsum(nearest - similarity for similarity in golden) / len(golden)


def generation_difficulty(references: Sequence[Hashable]) -> float:
    """GD = sum of p ln(1 / p), p the share of the key sentences that stand in a golden reference:
    over how many references the answer is spread (equation 2, with the natural logarithm).

    `references` names for each key sentence the reference that it stands in. 0 for one reference,
    ln n at most for n.
    """
    total = len(references)
    shares = [count / total for count in Counter(references).values()]
    return math.fsum(share * math.log(1 / share) for share in shares)


def difficulty(rd: float, gd: float, weight: float = LAMBDA) -> float:
    """RGD = GD + lambda * RD (equation 3)."""
    return gd + weight * rd


def program_length(program: str) -> int:
    """The operations of a program such as `subtract(9, 4), divide(#0, 4)`: 2; 0 for a value that is
    only looked up."""
    return len(_OPERATION.findall(program))
