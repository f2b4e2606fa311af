"""What is left of a comparison once people's labels have corrected the judge, in words."""

from __future__ import annotations

from typing import Literal

from engine.calibration.calibration_records import CorrectedDifference
from engine.results.comparison import Leaderboard, RunComparison
from engine.statistics.inference import Interval, PoweredDifference, Verdict
from store.messages import plural
from store.records import Lang

Order = Literal["survives", "turned round", "undecided"]
"""What correction makes of the order of two runs."""


def corrected_sentence(view: RunComparison) -> str:
    """The corrected difference over all with its two targets, beside the judge's own; empty where
    nobody labelled both runs."""
    found = view.corrected
    if found is None:
        return ""
    zh = view.lang == "zh"
    one = found.overall
    if one.difference is None:
        return (
            f"未能按人工标注校正：{one.new.reason}。" if zh else f"Not corrected: {one.new.reason}."
        )
    own = "-" if one.judge is None else f"{one.judge:+.3f}"
    labels = _labels(one, view.lang)
    run, new = (ends_of(part, view.lang) for part in (one.run, one.new))
    p = "" if one.new.p is None else f", p = {one.new.p:.3f}"
    parts = [
        f"按人工标注校正（{labels}）：A 减 B 为 {one.difference:+.3f}；本次运行 95 % 区间 {run}；"
        f"同类问题 {new}{p}；仅凭评判器 {own}。"
        if zh
        else f"Corrected by people's labels ({labels}): A minus B is {one.difference:+.3f}, 95 % in"
        f" these runs {run}, on questions like these {new}{p}; by the judge alone {own}."
    ]
    if found.conflicts:
        reach = (
            ""
            if found.bounds is None
            else "{:+.3f} {} {:+.3f}".format(found.bounds[0], "至" if zh else "to", found.bounds[1])
        )
        parts.append(
            f"有 {found.conflicts:,} 个标注存在分歧而未计入；按其取值，本次运行可能为 {reach}。"
            if zh
            else f"{plural(found.conflicts, 'label')} in conflict left out: by them the difference"
            f" in these runs may be anything from {reach}."
        )
    return ("" if zh else " ").join(parts)


def corrected_gap(found: CorrectedDifference, lang: Lang) -> str:
    """The corrected difference on questions like these, by which a gate is decided."""
    one, zh = found.overall, lang == "zh"
    difference, own = (
        "-" if value is None else f"{value:+.3f}" for value in (one.difference, one.judge)
    )
    labels, ends = _labels(one, lang), ends_of(one.new, lang)
    text = (
        f"按人工标注校正（{labels}），A 减 B 为 {difference}（同类问题 95 % 区间 {ends}），"
        f"仅凭评判器 {own}"
        if zh
        else f"corrected by people's labels ({labels}), A minus B is {difference} (95 % interval on"
        f" questions like these {ends}), by the judge alone {own}"
    )
    if found.bounds_new is None:
        return text
    low, high = (f"{end:+.3f}" for end in found.bounds_new)
    return text + (
        f"；有 {found.conflicts:,} 个标注存在分歧，可能为 {low} 至 {high}"
        if zh
        else f"; with {plural(found.conflicts, 'label')} in conflict from {low} to {high}"
    )


def ends_of(interval: Interval, lang: Lang) -> str:
    """`+.01 to +.07`, or why there is none."""
    zh = lang == "zh"
    if interval.state == "census":
        return "全部已标注" if zh else "all labelled"
    if interval.low is None or interval.high is None:
        return "无（标注太少）" if zh else f"none ({interval.reason})"
    return f"{interval.low:+.3f} {'至' if zh else 'to'} {interval.high:+.3f}"


def corrected_head(lang: Lang) -> list[str]:
    """The heads of `corrected_rows`."""
    if lang == "zh":
        return ["", "", "标注", "评判器", "校正后", "同类问题 95 %", "Holm p"]
    return ["", "", "labels", "judge", "corrected", "95 % like these", "Holm p"]


def corrected_rows(view: RunComparison) -> list[list[str]]:
    """A row for each cell with enough labels: its labels, the judge's and the corrected difference
    with interval and adjusted p."""
    if view.corrected is None:
        return []
    rows = []
    for (row, col), one in view.corrected.cells.items():
        rows.append(
            [
                view.rows.by_key.get(row, row),
                view.cols.by_key.get(col, col),
                f"{one.n_a:,} + {one.n_b:,}" if not one.is_paired else f"{one.paired:,}",
                "-" if one.judge is None else f"{one.judge:+.2f}",
                "-" if one.difference is None else f"{one.difference:+.2f}",
                ends_of(one.new, view.lang),
                "-" if one.p_holm is None else f"{one.p_holm:.3f}",
            ]
        )
    return rows


def order_of(board: Leaderboard, pair: tuple[str, str]) -> Order:
    """What correction makes of the order of two runs, the better placed first."""
    before, after = board.pairs[pair].difference, board.corrected[pair]
    if after.p_holm is None or after.p_holm > board.settings.level or not after.difference:
        return "undecided"
    return "survives" if (before or 0.0) * after.difference > 0 else "turned round"


def order_sentence(board: Leaderboard, lang: Lang) -> str:
    """Which order of those told apart survives correction, which is turned round, which is left
    undecided; empty where nobody labelled two of the runs."""
    if not board.corrected:
        return ""
    zh = lang == "zh"
    pairs: dict[Order, list[str]] = {"survives": [], "turned round": [], "undecided": []}
    for pair in board.corrected:
        order = order_of(board, pair)
        told = board.pairs[pair].verdict not in (Verdict.NO_DIFFERENCE, Verdict.TOO_FEW)
        if told or order != "undecided":
            pairs[order].append(f"{pair[0]} > {pair[1]}")
    names = (
        {"survives": "仍成立", "turned round": "反转", "undecided": "无法确定"}
        if zh
        else {name: name for name in pairs}
    )
    colon = "：" if zh else ": "
    parts = [f"{names[order]}{colon}{', '.join(held)}" for order, held in pairs.items() if held]
    lacking = len(board.pairs) - len(board.corrected)
    if lacking:
        parts.append(f"缺标注 {lacking:,} 对" if zh else f"without labels: {lacking:,} pairs")
    if zh:
        return f"按人工标注校正后：{'；'.join(parts) or '没有可检验的先后'}。"
    return f"After correction by people's labels: {'; '.join(parts) or 'no order to survive'}."


def _labels(one: PoweredDifference, lang: Lang) -> str:
    a, b, both = f"{one.n_a:,}", f"{one.n_b:,}", f"{one.paired:,}"
    if lang == "zh":
        return f"{both} 题双方均有标注" if one.is_paired else f"A {a} 个，B {b} 个，分别抽取"
    if one.is_paired:
        return f"both answers of {both} questions"
    return f"{a} of A, {b} of B, drawn apart"
