"""The labels around the numbers of a matrix, in English and in Chinese."""

from __future__ import annotations

from msgspec import Struct

from store.records import Lang, ScoreState

PENDING = "pending"
STATES: tuple[str, ...] = (*(state.value for state in ScoreState), PENDING)
"""Every state that a score of a matrix can be counted in, in the order they are shown."""


class Labels(Struct, frozen=True):
    """Texts in one language; `engine.report.matrix.caption` fills in what is in braces."""

    run: str
    system: str
    baseline_system: str
    dataset: str
    metric: str
    judge: str
    higher: str
    lower: str
    neutral: str
    all: str
    mean: str
    row: str
    col: str
    interval_head: str
    macro_head: str
    coverage_head: str
    overall: str
    overall_without_interval: str
    overall_empty: str
    macro: str
    coverage: str
    states: dict[str, str]
    mean_and_n: str
    cell_form: str
    """Description of a cell of a heat map."""
    pale: str
    """Description of a small cell of a heat map."""
    small: str
    interval: str
    no_item: str
    not_applicable: str
    no_value: str
    low_coverage: str
    unfinished: str
    colour: str
    all_numbers: str
    overview: str
    stop: str
    """Ends a sentence, with the space before the next one."""
    separator: str


ENGLISH = Labels(
    run="Run {}",
    system="system {}",
    baseline_system="system {} (baseline)",
    dataset="dataset {}",
    metric="{metric}, {direction}",
    judge="judge {}",
    higher="higher is better",
    lower="lower is better",
    neutral="neither high nor low is better",
    all="all",
    mean="mean",
    row="row",
    col="column",
    interval_head="95 % interval",
    macro_head="macro mean",
    coverage_head="coverage",
    overall="Overall mean {mean}, 95 % interval {low}{to}{high}, n {n} in {groups} groups",
    overall_without_interval="Overall mean {mean}, no interval (fewer than {limit} groups), n {n}",
    overall_empty="Overall mean {empty}, no value yet",
    macro="macro mean {mean} (over the means of {cells} cells)",
    coverage="coverage {} of the scores that apply",
    states={state: state for state in STATES},
    mean_and_n="{form}: mean and n, the number of values: one for each turn of an item and repeat",
    cell_form="A cell",
    pale="Pale with {}",
    small="{sign} marks fewer than {limit} groups, too few to read a difference from",
    interval=(
        "{form}: the 95 % interval over groups (dialogue, source document, question);"
        " none with fewer than {limit} groups"
    ),
    no_item="{} no item",
    not_applicable="{} the metric does not apply",
    no_value="{} no value (unparsed, out_of_range, error, missing or pending)",
    low_coverage=(
        "Coverage is {coverage}, below {limit}: {lost} of {applicable} scores have no value"
        " and are left out of the means"
    ),
    unfinished="The run is not finished: {} predictions are pending",
    colour="Shade: mean, 0 to {}",
    all_numbers="All numbers",
    overview="Overview",
    stop=". ",
    separator=", ",
)

CHINESE = Labels(
    run="运行 {}",
    system="系统 {}",
    baseline_system="系统 {}（基线）",
    dataset="数据集 {}",
    metric="{metric}，{direction}",
    judge="裁判 {}",
    higher="越高越好",
    lower="越低越好",
    neutral="高低无优劣之分",
    all="全部",
    mean="均值",
    row="行",
    col="列",
    interval_head="95 % 区间",
    macro_head="宏平均",
    coverage_head="覆盖率",
    overall="总体均值 {mean}，95 % 区间 {low}{to}{high}，n {n}，{groups} 组",
    overall_without_interval="总体均值 {mean}，无区间（不足 {limit} 组），n {n}",
    overall_empty="总体均值 {empty}，尚无数值",
    macro="宏平均 {mean}（{cells} 个单元格均值的平均）",
    coverage="适用评分的覆盖率 {}",
    states={
        "ok": "有效",
        "na": "不适用",
        "unparsed": "未能解析",
        "out_of_range": "超出量程",
        "error": "出错",
        "missing": "缺失",
        "pending": "待作答",
    },
    mean_and_n="{form}：均值与 n（数值个数：题目的每一轮、每次重复各一个）",
    cell_form="单元格",
    pale="浅色加 {}",
    small="{sign} 表示不足 {limit} 组，不足以比较高低",
    interval=("{form}：按组（对话、来源文档、问题）计算的 95 % 区间；不足 {limit} 组时没有区间"),
    no_item="{} 无题目",
    not_applicable="{} 指标不适用",
    no_value="{} 无数值（未能解析、超出量程、出错、缺失或待作答）",
    low_coverage=(
        "覆盖率为 {coverage}，低于 {limit}：{applicable} 个评分中有 {lost} 个没有数值，未计入均值"
    ),
    unfinished="运行尚未完成：{} 个预测待作答",
    colour="颜色：均值，0 至 {}",
    all_numbers="全部数字",
    overview="总览",
    stop="。",
    separator="，",
)


def labels_of(lang: Lang) -> Labels:
    """The labels in a language."""
    return CHINESE if lang == "zh" else ENGLISH
