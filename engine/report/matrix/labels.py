"""The labels around the numbers of a matrix, in English and in Chinese."""

from __future__ import annotations

from engine.report.labels import Label, LabelsIn
from store.records import ScoreState

PENDING = "pending"
STATES: tuple[str, ...] = (*(state.value for state in ScoreState), PENDING)
"""Every state that a score of a matrix can be counted in, in the order they are shown."""


class Labels(LabelsIn):
    """Texts in one language; `engine.report.matrix.caption` fills in what is in braces."""

    run = Label("Run {}", "运行 {}")
    system = Label("system {}", "系统 {}")
    baseline_system = Label("system {} (baseline)", "系统 {}（基线）")
    dataset = Label("dataset {}", "数据集 {}")
    metric = Label("{metric}, {direction}", "{metric}，{direction}")
    judge = Label("judge {}", "评判器 {}")
    higher = Label("higher is better", "越高越好")
    lower = Label("lower is better", "越低越好")
    neutral = Label("neither high nor low is better", "高低无优劣之分")
    all = Label("all", "全部")
    mean = Label("mean", "均值")
    row = Label("row", "行")
    col = Label("column", "列")
    interval_head = Label("95 % interval", "95 % 区间")
    macro_head = Label("macro mean", "宏平均")
    coverage_head = Label("coverage", "覆盖率")
    overall = Label(
        "Overall mean {mean}, 95 % interval {low}{to}{high}, n {n} in {groups} groups",
        "总体均值 {mean}，95 % 区间 {low}{to}{high}，n {n}，{groups} 组",
    )
    overall_without_interval = Label(
        "Overall mean {mean}, no interval (fewer than {limit} groups), n {n}",
        "总体均值 {mean}，无区间（不足 {limit} 组），n {n}",
    )
    overall_empty = Label("Overall mean {empty}, no value yet", "总体均值 {empty}，尚无数值")
    macro = Label(
        "macro mean {mean} (over the means of {cells} cells)",
        "宏平均 {mean}（{cells} 个单元格均值的平均）",
    )
    coverage = Label("coverage {} of the scores that apply", "适用评分的覆盖率 {}")
    states = Label(
        {state: state for state in STATES},
        {
            "ok": "有效",
            "na": "不适用",
            "unparsed": "未能解析",
            "out_of_range": "超出量程",
            "error": "出错",
            "missing": "缺失",
            "pending": "待作答",
        },
    )
    mean_and_n = Label(
        "{form}: mean and n, the number of values: one for each turn of an item and repeat",
        "{form}：均值与 n（数值个数：题目的每一轮、每次重复各一个）",
    )
    cell_form = Label("A cell", "单元格")
    """Description of a cell of a heat map."""
    pale = Label("Pale with {}", "浅色加 {}")
    """Description of a small cell of a heat map."""
    small = Label(
        "{sign} marks fewer than {limit} groups, too few to read a difference from",
        "{sign} 表示不足 {limit} 组，不足以比较高低",
    )
    interval = Label(
        "{form}: the 95 % interval over groups (dialogue, source document, question);"
        " none with fewer than {limit} groups",
        "{form}：按组（对话、来源文档、问题）计算的 95 % 区间；不足 {limit} 组时没有区间",
    )
    no_item = Label("{} no item", "{} 无题目")
    not_applicable = Label("{} the metric does not apply", "{} 指标不适用")
    no_value = Label(
        "{} no value (unparsed, out_of_range, error, missing or pending)",
        "{} 无数值（未能解析、超出量程、出错、缺失或待作答）",
    )
    low_coverage = Label(
        "Coverage is {coverage}, below {limit}: {lost} of {applicable} scores have no value"
        " and are left out of the means",
        "覆盖率为 {coverage}，低于 {limit}：{applicable} 个评分中有 {lost} 个没有数值，未计入均值",
    )
    unfinished = Label(
        "The run is not finished: {} predictions are pending", "运行尚未完成：{} 个预测待作答"
    )
    colour = Label("Shade: mean, 0 to {}", "颜色：均值，0 至 {}")
    all_numbers = Label("All numbers", "全部数字")
    overview = Label("Overview", "总览")
    stop = Label(". ", "。")
    """Ends a sentence, with the space before the next one."""
    separator = Label(", ", "，")
