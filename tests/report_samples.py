"""A report made of records, without a workspace: as many items as a test asks for."""

from __future__ import annotations

import random
from collections.abc import Sequence

import matrix_samples
from msgspec.structs import replace

from engine.report.page.records import (
    Place,
    Report,
    ReportAnswer,
    ReportItem,
    ReportMetric,
    ReportRun,
    RetrievedPassage,
)
from engine.results.comparison import RunComparison
from engine.results.leaderboard import leaderboard
from engine.results.matrix import RunMatrix
from engine.results.run_comparison import compare
from store.records import ScoreRow, ScoreState
from store.runs.results import MetricKey
from store.runs.runs import Run, RunSettings
from store.systems import SystemConfig

HOSTILE = (
    "</script><img src=x onerror=alert(1)><!-- & \"quoted\" 'too' \u2028 \u202eright to left"
    " مرحبا 基金😀涨了"
)
METRIC = MetricKey("f1", "standard")
DESCRIBED = ReportMetric("f1", "f1", "text", "higher is better", True, 1.0, False)


def run(name: str, number: int = 1) -> Run:
    return Run(number, name, 1, SystemConfig(name), RunSettings(), "")


def scores(shift: float, groups: int = 8) -> list[ScoreRow]:
    """One turn a group."""
    return [
        ScoreRow(f"i{n}", n, 0, 0, f"g{n}", "r0", "c0", ScoreState.OK, n / 10 + shift)
        for n in range(groups)
    ]


def report(
    *,
    names: Sequence[str] = ("first", "second"),
    items: int = 3,
    passages: int = 1,
    text: str = "The rate is 3.5 percent.",
    documents: dict[str, str] | None = None,
    label: str = "Fund",
    lang: str = "en",
) -> Report:
    """`items` items whose every text is `text`, answered by runs of some names; passage number n
    of item m is the whole of document m * passages + n, of `documents` if given."""
    texts = documents or {f"d{n}": f"{n} {text}" for n in range(items * passages)}
    places = tuple(Place(id, 0, len(document)) for id, document in texts.items())
    matrix = matrix_samples.sample(rows=(label, "other"), cols=(label, "another"))
    runs = [run(name, number) for number, name in enumerate(names)]
    key = (names[0], names[1], "f1")
    return Report(
        dataset=f"{label}@1",
        lang=lang,  # type: ignore[arg-type]
        rows=matrix.rows,
        cols=matrix.cols,
        metrics=(replace(DESCRIBED, direction=label),),
        first_metric="f1",
        boards={"f1": leaderboard({name: scores(n / 10) for n, name in enumerate(names)})},
        maps={(one.name, "f1"): RunMatrix(one, "x@1", METRIC, matrix, "en") for one in runs},
        comparisons={
            key: RunComparison(
                *runs[:2], METRIC, matrix.rows, matrix.cols, compare(scores(0), scores(0.1)), "en"
            )
        },
        compared_with_first=False,
        runs=tuple(
            ReportRun(
                name,
                [_answer(n, passages, len(places), text) for n in range(items)],
                {"f1": [n % 11 / 10 for n in range(items)]},
                {"f1": dict.fromkeys(range(items), text)},
            )
            for name in names
        ),
        items=tuple(
            ReportItem(
                f"item {n} {text}", 0, 1, 0, n % 2, 0, "en", text, (text,), ((text, text),), ()
            )
            for n in range(items)
        ),
        places=places,
        names=dict.fromkeys(texts, f"name of {label}"),
        texts=texts,
    )


def _answer(item: int, passages: int, places: int, text: str) -> ReportAnswer:
    hits = tuple(
        RetrievedPassage((item * passages + rank) % places, 1 / (rank + 1), ())
        for rank in range(passages)
    )
    return ReportAnswer("answered", text, None, hits)


def prose(characters: int, seed: int) -> str:
    """Words drawn as unevenly as those of a language, of at least as many characters."""
    draw = random.Random(seed)
    words = [f"w{number:x}" for number in range(20_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    return " ".join(draw.choices(words, weights, k=characters // 4))[:characters]
