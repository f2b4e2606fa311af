"""ROUGE-L of the variant `omnieval` against rouge-chinese, value by value.

The definition names jieba, whatever computes the rest, and rouge-chinese wants its words joined by
spaces. So the main line begins where jieba is done, on both sides; the other line begins with raw
text, with jieba on both sides.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from benchmarks import pairs, texts
from engine.metrics.omnieval import rouge_l, rouge_words
from engine.text.segmentation import jieba_cut

TARGET = 100.0
REPEATS = 20


def main() -> None:
    parser = pairs.arguments(__doc__, pairs=9)
    parser.add_argument("--data", type=Path, help="JSON lines with a field `text`; default: made")
    parser.add_argument("--texts", type=int, default=60, help="texts to compare, of each pair")
    args = parser.parse_args()
    if args.quick:
        args.texts, args.pairs = 4, 2
    # rouge-chinese recurses once a token
    sys.setrecursionlimit(100_000)
    from rouge_chinese import Rouge

    rouge = Rouge(metrics=["rouge-l"])
    cases = _cases(texts.documents(2 * args.texts * args.pairs, args.data))
    jieba_cut("中文")
    different = 0

    def slice_of(pair: int) -> list[tuple[str, str]]:
        return cases[pair * args.texts : (pair + 1) * args.texts]

    def ours(pair: int, repeats: int = 1) -> pairs.Cost:
        def work() -> None:
            for _ in range(repeats):
                rouge_words.cache_clear()  # what jieba said is kept one step before
                for text, golden in slice_of(pair):
                    rouge_l(text, [golden])

        cost = pairs.measure(work)
        return pairs.Cost(cost.wall / repeats, cost.cpu / repeats)

    def theirs(given: list[tuple[str, str]]) -> list[float]:
        return [rouge.get_scores(text, golden)[0]["rouge-l"]["f"] for text, golden in given]

    def from_words(pair: int) -> pairs.Cost:
        nonlocal different
        given = [(_spaced(text), _spaced(golden)) for text, golden in slice_of(pair)]
        values: list[float] = []
        cost = pairs.measure(lambda: values.extend(theirs(given)))
        mine = [rouge_l(text, [golden]) for text, golden in slice_of(pair)]
        different += sum(one != other for one, other in zip(mine, values, strict=True))
        return cost

    def from_text(pair: int) -> pairs.Cost:
        return pairs.measure(
            lambda: theirs([(_spaced(text), _spaced(golden)) for text, golden in slice_of(pair)])
        )

    raw = pairs.alternate(ours, from_text, args.pairs, warm=False)
    at_hand = pairs.alternate(lambda pair: ours(pair, REPEATS), from_words, args.pairs, warm=False)
    pairs.print_table(
        "rouge-chinese",
        [
            pairs.faster_line("ROUGE-L of a text", at_hand, "", args.texts, TARGET),
            pairs.faster_line("with jieba on both sides", raw, "", args.texts),
        ],
    )
    print(f"values other than rouge-chinese's: {different} of {len(cases)}")


def _cases(found: list[str]) -> list[tuple[str, str]]:
    """Answers of 50 to 500 characters beside golden answers that share a part of them."""
    chance = random.Random(7)
    cases = []
    for text, other in zip(found[::2], found[1::2], strict=True):
        length = chance.randint(50, 500)
        golden = text[:length]
        cut = chance.randint(0, length)
        cases.append((golden[:cut] + other[: length - cut], golden))
    return cases


def _spaced(text: str) -> str:
    return " ".join(jieba_cut(text))


if __name__ == "__main__":
    main()
