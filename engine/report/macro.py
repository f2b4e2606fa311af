"""Systems over several datasets, as text and as JSON."""

from __future__ import annotations

from typing import Any

from msgspec import structs

from engine.report.comparison import size_text
from engine.report.labels import metric_label
from engine.report.text_table import sentence_lines, table_lines
from engine.results.comparison import MacroBoard, Standing
from store.messages import plural
from store.records import Lang

_NOTE: dict[Lang, str] = {
    "en": "The macro mean is the mean of the datasets' means, each weighing the same; on a dataset"
    " only the turns count that all systems have a value for. A leaderboard of the runs on one"
    " dataset says which of them can be told apart.",
    "zh": "宏平均为各数据集均值的平均，各数据集权重相同；每个数据集只计所有系统都有得分的轮次。"
    "哪些系统确有差别，请查看同一数据集各运行的排行榜。",
}


def macro_text(board: MacroBoard, lang: Lang, *, width: int | None = None) -> str:
    """A line a system, best first: its macro mean, then its mean and interval on each dataset."""
    named = {"en": ("system", "macro mean"), "zh": ("系统", "宏平均")}
    heads = ["", *named[lang], *board.boards]
    rows = [
        [
            f"{rank:>3}",
            row.system,
            "-" if row.mean is None else f"{row.mean:.3f}",
            *(_standing(one) for one in row.standings),
        ]
        for rank, row in enumerate(board.rows, 1)
    ]
    sizes = [f"{name}: {size_text(one, lang)}" for name, one in board.boards.items()]
    number = len(board.boards)
    datasets = {"en": plural(number, "dataset"), "zh": f"{number:,} 个数据集"}
    return "\n".join(
        [
            f"{metric_label(board.key, lang)}   {datasets[lang]}",
            "",
            *table_lines(heads, rows, width=width, keys=2),
            "",
            *sentence_lines("; ".join(sizes), width),
            *sentence_lines(_NOTE[lang], width),
        ]
    )


def macro_as_json(board: MacroBoard) -> dict[str, Any]:
    """Every system with its macro mean, and every dataset with the standings on it."""
    return {
        "metric": board.key.name,
        "variant": board.key.variant,
        "judge": board.key.judge,
        "systems": [{"system": row.system, "macro_mean": row.mean} for row in board.rows],
        "datasets": {
            name: {
                "items": one.items,
                "groups": one.groups,
                "standings": [structs.asdict(standing) for standing in one.standings],
                "left_out": one.left_out,
            }
            for name, one in board.boards.items()
        },
    }


def _standing(one: Standing | None) -> str:
    if one is None or one.mean is None:
        return "-"
    interval = "" if one.low is None or one.high is None else f" ({one.low:.3f} to {one.high:.3f})"
    return f"{one.mean:.3f}{interval}"
