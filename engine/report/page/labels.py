"""The labels of a report, in English and in Chinese."""

from __future__ import annotations

from msgspec import Struct

from engine.prompts.languages import by_lang
from store.records import Lang


class Labels(Struct, frozen=True):
    """Texts in one language; the page's script reads them by name. Braces are filled in."""

    title: str
    counts: str
    leaderboard: str
    map: str
    compare: str
    items: str
    views: str
    metric: str
    run: str
    other_run: str
    all_metrics: str
    on_metric: str
    rank: str
    mean: str
    interval: str
    letters: str
    on_turns: str
    explain_letters: str
    explain_overview: str
    compared_with_first: str
    not_compared: str
    a_better: str
    b_better: str
    a_higher: str
    b_higher: str
    difference_cell: str
    pale_difference: str
    all: str
    any_state: str
    answers: str
    scores: str
    state: str
    states: dict[str, str]
    from_value: str
    to_value: str
    search: str
    search_help: str
    in_passages: str
    clear: str
    found: str
    none_found: str
    more: str
    value: str
    question: str
    answer: str
    order: str
    largest_first: str
    worst_first: str
    best_first: str
    as_asked: str
    back: str
    previous: str
    next: str
    place: str
    turn: str
    repeat: str
    earlier: str
    golden: str
    no_golden: str
    evidence: str
    whole_document: str
    no_evidence: str
    no_answer: str
    score: str
    retrieval_score: str
    passages: str
    no_retrieval: str
    nothing_retrieved: str
    without_text: str
    holds: str
    cut: str
    passages_cut: str
    theme: str
    themes: dict[str, str]
    loading: str
    cannot: str
    needs_script: str
    groups: dict[str, str]
    axes: dict[str, str]


ENGLISH = Labels(
    title="Report on {}",
    counts="{runs}, {items}, {turns}",
    leaderboard="Leaderboard",
    map="Heat map",
    compare="Compare",
    items="Items",
    views="Views",
    metric="Metric",
    run="Run",
    other_run="with run",
    all_metrics="All metrics",
    on_metric="Leaderboard on {}",
    rank="rank",
    mean="mean",
    interval="95 % interval",
    letters="not told apart",
    on_turns="{turns} in {groups}, on which all of these runs have a value",
    explain_letters="Runs that share a letter are not told apart by the test, after Holm's"
    " adjustment over all pairs.",
    explain_overview="The mean of every run on every metric, over the values that the run has;"
    " * marks the best of a row. Whether two runs differ is for the leaderboard to say.",
    compared_with_first="With {} runs, each is compared with the first alone: {}.",
    not_compared="These runs are not compared on this metric: one of them has no scores of it.",
    a_better="A better: {}",
    b_better="B better: {}",
    a_higher="A higher: {}",
    b_higher="B higher: {}",
    difference_cell="A cell: A minus B, with n, the turns compared; A or B: better after Holm's"
    " adjustment over the cells; ?: too few to tell",
    pale_difference="pale: too few groups to tell, or to read a difference from",
    all="all",
    any_state="any state",
    answers="answers",
    scores="scores",
    state="State",
    states={
        "answered": "answered",
        "refused": "declined to answer",
        "failed": "failed",
        "pending": "not answered yet",
        "ok": "has a value",
        "na": "does not apply",
        "unparsed": "not parsed",
        "out_of_range": "out of range",
        "error": "scoring failed",
        "missing": "no score",
    },
    from_value="Score from",
    to_value="to",
    search="Search",
    search_help="words of question, answer, reason or item",
    in_passages="in passages, too",
    clear="Clear filters",
    found="{n} of {all}",
    none_found="Nothing fits these filters.",
    more="Show {} more",
    value="value",
    question="question",
    answer="answer",
    order="Order",
    largest_first="largest difference first",
    worst_first="worst first",
    best_first="best first",
    as_asked="as in the dataset",
    back="Back to the items",
    previous="Previous",
    next="Next",
    place="{n} of {all}",
    turn="turn {n} of {all}",
    repeat="repeat {}",
    earlier="Earlier turns",
    golden="Golden answer",
    no_golden="none: retrieval alone is judged",
    evidence="Evidence",
    whole_document="the whole document",
    no_evidence="the item names none",
    no_answer="(nothing)",
    score="Scores",
    retrieval_score="score",
    passages="Retrieved passages",
    no_retrieval="This system retrieves nothing.",
    nothing_retrieved="Nothing was retrieved.",
    without_text="The passages' texts were left out of this page.",
    holds="holds evidence {}",
    cut="cut here",
    passages_cut="Longer passages are cut to {} characters, to keep this page small.",
    theme="Colours",
    themes={"auto": "as the browser", "light": "light", "dark": "dark"},
    loading="Loading.",
    cannot="This browser cannot unpack the items (DecompressionStream). The leaderboard, heat"
    " maps and comparisons work.",
    needs_script="Choosing a view and reading items needs JavaScript; all tables are below.",
    groups={"text": "text", "ranking": "ranking"},
    axes={"lang": "language", "task_group": "group of tasks"},
)

CHINESE = Labels(
    title="{} 评测报告",
    counts="{runs}，{items}，{turns}",
    leaderboard="排行榜",
    map="热力图",
    compare="对比",
    items="题目",
    views="视图",
    metric="指标",
    run="运行",
    other_run="对比运行",
    all_metrics="全部指标",
    on_metric="{} 排行榜",
    rank="名次",
    mean="均值",
    interval="95 % 区间",
    letters="未分高下",
    on_turns="共 {turns}、{groups}，这些运行在其上都有数值",
    explain_letters="字母相同的运行之间，经 Holm 校正（所有两两比较）的检验未发现差异。",
    explain_overview="每个运行在每个指标上的均值，按该运行自己的数值计算；* 为一行中最优。"
    "两个运行是否有差异，以排行榜为准。",
    compared_with_first="共 {} 个运行，每个只与第一个（{}）对比。",
    not_compared="这两个运行在该指标上没有对比：其中一个没有该指标的评分。",
    a_better="A 更优：{}",
    b_better="B 更优：{}",
    a_higher="A 更高：{}",
    b_higher="B 更高：{}",
    difference_cell="单元格：A 减 B，以及轮数 n；A 或 B：经 Holm 校正后更优；?：数量太少，无法判断",
    pale_difference="浅色：组数太少，无法判断",
    all="全部",
    any_state="任何状态",
    answers="回答",
    scores="评分",
    state="状态",
    states={
        "answered": "已作答",
        "refused": "拒绝作答",
        "failed": "失败",
        "pending": "待作答",
        "ok": "有数值",
        "na": "不适用",
        "unparsed": "未能解析",
        "out_of_range": "超出量程",
        "error": "评分出错",
        "missing": "没有评分",
    },
    from_value="分数从",
    to_value="至",
    search="搜索",
    search_help="问题、回答、理由或题目中的词",
    in_passages="也搜索检索段落",
    clear="清除筛选",
    found="{n} / {all}",
    none_found="没有符合筛选条件的题目。",
    more="再显示 {} 条",
    value="数值",
    question="问题",
    answer="回答",
    order="排序",
    largest_first="差异最大在前",
    worst_first="最差在前",
    best_first="最优在前",
    as_asked="按数据集顺序",
    back="返回题目列表",
    previous="上一题",
    next="下一题",
    place="第 {n} / {all}",
    turn="第 {n} / {all} 轮",
    repeat="第 {} 次重复",
    earlier="之前各轮",
    golden="标准答案",
    no_golden="无：只评检索",
    evidence="证据",
    whole_document="整篇文档",
    no_evidence="题目未给出",
    no_answer="（空）",
    score="评分",
    retrieval_score="得分",
    passages="检索到的段落",
    no_retrieval="该系统不检索。",
    nothing_retrieved="没有检索到任何段落。",
    without_text="本页未收入段落原文。",
    holds="含证据 {}",
    cut="在此截断",
    passages_cut="为控制页面大小，较长的段落截断至 {} 字。",
    theme="配色",
    themes={"auto": "随浏览器", "light": "浅色", "dark": "深色"},
    loading="正在载入。",
    cannot="此浏览器无法解压题目（DecompressionStream）。排行榜、热力图与对比仍可使用。",
    needs_script="选择视图与阅读题目需要 JavaScript；全部表格列于下方。",
    groups={"text": "文本", "ranking": "排序"},
    axes={"topic": "主题", "task": "任务", "task_group": "任务类别", "lang": "语言"},
)


def labels_of(lang: Lang) -> Labels:
    """The labels in a language."""
    return by_lang(lang, CHINESE, ENGLISH)
