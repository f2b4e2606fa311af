"""The labels of a report, in English and in Chinese."""

from __future__ import annotations

from engine.report.labels import Label, LabelsIn


class Labels(LabelsIn):
    """Texts in one language; the page's script reads them by name. Braces are filled in."""

    title = Label("Report on {}", "{} 评测报告")
    counts = Label("{runs}, {items}, {turns}", "{runs}，{items}，{turns}")
    leaderboard = Label("Leaderboard", "排行榜")
    map = Label("Heat map", "热力图")
    compare = Label("Compare", "对比")
    items = Label("Items", "题目")
    views = Label("Views", "视图")
    metric = Label("Metric", "指标")
    run = Label("Run", "运行")
    other_run = Label("with run", "对比运行")
    all_metrics = Label("All metrics", "全部指标")
    on_metric = Label("Leaderboard on {}", "{} 排行榜")
    rank = Label("rank", "名次")
    mean = Label("mean", "均值")
    interval = Label("95 % interval", "95 % 区间")
    letters = Label("not told apart", "未分高下")
    on_turns = Label(
        "{turns} in {groups}, on which all of these runs have a value",
        "共 {turns}、{groups}，这些运行在其上都有数值",
    )
    explain_letters = Label(
        "Runs that share a letter are not told apart by the test, after Holm's"
        " adjustment over all pairs.",
        "字母相同的运行之间，经 Holm 校正（所有两两比较）的检验未发现差异。",
    )
    explain_overview = Label(
        "The mean of every run on every metric, over the values that the run has;"
        " * marks the best of a row. Whether two runs differ is for the leaderboard to say.",
        "每个运行在每个指标上的均值，按该运行自己的数值计算；* 为一行中最优。"
        "两个运行是否有差异，以排行榜为准。",
    )
    compared_with_first = Label(
        "With {} runs, each is compared with the first alone: {}.",
        "共 {} 个运行，每个只与第一个（{}）对比。",
    )
    not_compared = Label(
        "These runs are not compared on this metric: one of them has no scores of it.",
        "这两个运行在该指标上没有对比：其中一个没有该指标的评分。",
    )
    a_better = Label("A better: {}", "A 更优：{}")
    b_better = Label("B better: {}", "B 更优：{}")
    a_higher = Label("A higher: {}", "A 更高：{}")
    b_higher = Label("B higher: {}", "B 更高：{}")
    difference_cell = Label(
        "A cell: A minus B, with n, the turns compared; A or B: better after Holm's"
        " adjustment over the cells; ?: too few to tell",
        "单元格：A 减 B，以及轮数 n；A 或 B：经 Holm 校正后更优；?：数量太少，无法判断",
    )
    pale_difference = Label(
        "pale: too few groups to tell, or to read a difference from", "浅色：组数太少，无法判断"
    )
    all = Label("all", "全部")
    any_state = Label("any state", "任何状态")
    answers = Label("answers", "回答")
    scores = Label("scores", "评分")
    state = Label("State", "状态")
    states = Label(
        {
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
        {
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
    )
    from_value = Label("Score from", "分数从")
    to_value = Label("to", "至")
    search = Label("Search", "搜索")
    search_help = Label("words of question, answer, reason or item", "问题、回答、理由或题目中的词")
    in_passages = Label("in passages, too", "也搜索检索段落")
    clear = Label("Clear filters", "清除筛选")
    found = Label("{n} of {all}", "{n} / {all}")
    none_found = Label("Nothing fits these filters.", "没有符合筛选条件的题目。")
    more = Label("Show {} more", "再显示 {} 条")
    value = Label("value", "数值")
    question = Label("question", "问题")
    answer = Label("answer", "回答")
    order = Label("Order", "排序")
    largest_first = Label("largest difference first", "差异最大在前")
    worst_first = Label("worst first", "最差在前")
    best_first = Label("best first", "最优在前")
    as_asked = Label("as in the dataset", "按数据集顺序")
    back = Label("Back to the items", "返回题目列表")
    previous = Label("Previous", "上一题")
    next = Label("Next", "下一题")
    place = Label("{n} of {all}", "第 {n} / {all}")
    turn = Label("turn {n} of {all}", "第 {n} / {all} 轮")
    repeat = Label("repeat {}", "第 {} 次重复")
    earlier = Label("Earlier turns", "之前各轮")
    golden = Label("Golden answer", "标准答案")
    no_golden = Label("none: retrieval alone is judged", "无：只评检索")
    evidence = Label("Evidence", "证据")
    whole_document = Label("the whole document", "整篇文档")
    no_evidence = Label("the item names none", "题目未给出")
    no_answer = Label("(nothing)", "（空）")
    score = Label("Scores", "评分")
    retrieval_score = Label("score", "得分")
    passages = Label("Retrieved passages", "检索到的段落")
    no_retrieval = Label("This system retrieves nothing.", "该系统不检索。")
    nothing_retrieved = Label("Nothing was retrieved.", "没有检索到任何段落。")
    without_text = Label("The passages' texts were left out of this page.", "本页未收入段落原文。")
    holds = Label("holds evidence {}", "含证据 {}")
    cut = Label("cut here", "在此截断")
    passages_cut = Label(
        "Longer passages are cut to {} characters, to keep this page small.",
        "为控制页面大小，较长的段落截断至 {} 字。",
    )
    theme = Label("Colours", "配色")
    themes = Label(
        {"auto": "as the browser", "light": "light", "dark": "dark"},
        {"auto": "随浏览器", "light": "浅色", "dark": "深色"},
    )
    loading = Label("Loading.", "正在载入。")
    cannot = Label(
        "This browser cannot unpack the items (DecompressionStream). The leaderboard, heat"
        " maps and comparisons work.",
        "此浏览器无法解压题目（DecompressionStream）。排行榜、热力图与对比仍可使用。",
    )
    needs_script = Label(
        "Choosing a view and reading items needs JavaScript; all tables are below.",
        "选择视图与阅读题目需要 JavaScript；全部表格列于下方。",
    )
    groups = Label({"text": "text", "ranking": "ranking"}, {"text": "文本", "ranking": "排序"})
    axes = Label(
        {"lang": "language", "task_group": "group of tasks"},
        {"topic": "主题", "task": "任务", "task_group": "任务类别", "lang": "语言"},
    )
