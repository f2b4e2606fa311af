"""Cutting documents into search terms against plain jieba, and whether the words are the same.

jieba gets the texts folded already, and what makes terms of its words is not timed. Real text is
given with --data; the words of made text follow each other at random, and where two ways to cut are
equally likely, which real text hardly has, the two may choose differently.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from benchmarks import pairs, texts
from engine.text.segmentation import CJK, jieba_cut, terms

TARGET = 5.0
SAME_TARGET = 0.9999

_RUN = re.compile(r"[^\W_]+")
_HAN = re.compile(f"[{CJK}]")


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=10)
    parser.add_argument("--data", type=Path, help="JSON lines with a field `text`; default: made")
    parser.add_argument("--documents", type=int, default=20_000)
    args = parser.parse_args()
    if args.quick:
        args.documents, args.pairs = 60, 2
    with pairs.progress(f"reading {args.documents:,} documents"):
        found = texts.documents(args.documents, args.data)
    each = len(found) // args.pairs
    different = 0
    made: dict[bool, list[list[str]]] = {}

    def cut(pair: int, *, ours: bool) -> pairs.Cost:
        nonlocal different
        mine = found[pair * each : (pair + 1) * each]
        given = mine if ours else [_folded(text) for text in mine]
        tool = terms if ours else jieba_cut

        def work() -> None:
            made[ours] = [tool(text) for text in given]

        cost = pairs.measure(work)
        if len(made) == 2:
            expected = map(_terms_of, made[False])
            different += sum(one != other for one, other in zip(made[True], expected, strict=True))
            made.clear()
        return cost

    terms("中文")
    jieba_cut("中文")  # both load their dictionary on first use
    compared = pairs.alternate(
        lambda pair: cut(pair, ours=True),
        lambda pair: cut(pair, ours=False),
        args.pairs,
        warm=False,
    )
    pairs.print_table("jieba", [pairs.faster_line("terms", compared, "", each, TARGET)])
    size = sum(len(text.encode()) for text in found[: each * args.pairs]) / 1e6
    rates = [size / sum(cost.wall for cost in side) for side in (compared.ours, compared.peer)]
    print(f"{rates[0]:.1f} MB/s against {rates[1]:.1f} MB/s")
    same = 1 - different / (each * args.pairs)
    verdict = "met" if same >= SAME_TARGET else "MISSED"
    print(
        f"same terms in {same:.2%} of documents, {different} of {each * args.pairs:,} differ"
        f" (>= {SAME_TARGET:.2%}: {verdict})"
    )


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _terms_of(words: list[str]) -> list[str]:
    """jieba's words as terms: their runs of letters and digits; a letter that is neither ASCII nor
    Han keeps its neighbours (jieba would cut "café" up)."""
    out: list[str] = []
    before = " "
    for word in words:
        for run in _RUN.finditer(word):
            if run.start() == 0 and _belong_together(before, run.group()[0]):
                out[-1] += run.group()
            else:
                out.append(run.group())
        before = word[-1]
    return out


def _belong_together(left: str, right: str) -> bool:
    if not all(letter.isalnum() and not _HAN.match(letter) for letter in (left, right)):
        return False
    return not (left.isascii() and right.isascii())


if __name__ == "__main__":
    main()
