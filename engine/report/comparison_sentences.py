"""A comparison in plain words, Chinese or English."""

from __future__ import annotations

from collections.abc import Mapping

from engine.report.corrected import corrected_gap
from engine.report.labels import metric_label
from engine.results.comparison import (
    Comparison,
    GateResult,
    GateVerdict,
    Leaderboard,
    LeftOut,
)
from engine.statistics.inference import MIN_GROUPS, Difference, TurnState, Verdict
from store.records import Lang

_SIDES: dict[TurnState, dict[Lang, str]] = {
    TurnState.OK: {"zh": "有分数", "en": "scored"},
    TurnState.NA: {"zh": "指标不适用", "en": "metric does not apply"},
    TurnState.UNPARSED: {"zh": "评分无法解析", "en": "score not parsed"},
    TurnState.OUT_OF_RANGE: {"zh": "评分越界", "en": "score out of range"},
    TurnState.ERROR: {"zh": "评分出错", "en": "scoring failed"},
    TurnState.MISSING: {"zh": "没有分数", "en": "no score"},
    TurnState.PENDING: {"zh": "尚未完成", "en": "not finished"},
    TurnState.ABSENT: {"zh": "没有此题", "en": "not in the run"},
    TurnState.REVISED: {"zh": "题目版本不同", "en": "another revision of the item"},
}

_FROM_A = {Verdict.B_BETTER: Verdict.A_BETTER, Verdict.B_HIGHER: Verdict.A_HIGHER}

_HEADS: dict[Lang, dict[Verdict, str]] = {
    "en": {
        Verdict.A_BETTER: "{x} is better than {y} on {metric}",
        Verdict.A_HIGHER: "{x} is higher than {y} on {metric}",
        Verdict.NO_DIFFERENCE: "No difference found between {x} and {y} on {metric}",
    },
    "zh": {
        Verdict.A_BETTER: "在 {metric}上，{x} 优于 {y}",
        Verdict.A_HIGHER: "在 {metric}上，{x} 高于 {y}",
        Verdict.NO_DIFFERENCE: "在 {metric}上，未发现 {x} 与 {y} 有差异",
    },
}

_FIGURES: dict[Lang, str] = {
    "en": (
        "{head}: {mean_x} against {mean_y}, difference {gain} ({level} interval {low} to {high};"
        " {p}) on {items} in {groups}; {wins} won, {ties} tied, {losses} lost."
    ),
    "zh": (
        "{head}：{mean_x} 对 {mean_y}，相差 {gain}（{level} 区间 {low} 至 {high}，{p}）；"
        "共 {items}、{groups}，胜 {wins}、平 {ties}、负 {losses}。"
    ),
}

_GATE_HEADS: dict[Lang, dict[GateVerdict, str]] = {
    "en": {
        GateVerdict.HOLDS: "Holds: {a} is not worse than {b} on {metric}{by}",
        GateVerdict.NOT_MET: "Not met: {a} is worse than {b} on {metric}{by}",
        GateVerdict.UNDECIDED: "Undecided whether {a} is worse than {b} on {metric}{by}",
    },
    "zh": {
        GateVerdict.HOLDS: "通过：在 {metric}上，{a} 不比 {b} 差{by}",
        GateVerdict.NOT_MET: "未通过：在 {metric}上，{a} 比 {b} 差{by}",
        GateVerdict.UNDECIDED: "无法判定：在 {metric}上，{a} 是否比 {b} 差{by}",
    },
}


def gate_sentence(result: GateResult, *, a: str, b: str) -> str:
    """What became of a gate, with its margin, the difference, and why nothing was decided."""
    lang, margin = result.lang, f"{result.margin:g}"
    by = {"en": f" by more than {margin}", "zh": f"超过 {margin}"}[lang] if result.margin else ""
    metric = _metric(metric_label(result.metric, lang), result.higher_is_better, lang)
    head = _GATE_HEADS[lang][result.verdict].format(a=a, b=b, metric=metric, by=by)
    gap = _gap(result) if result.corrected is None else corrected_gap(result.corrected, lang)
    parts = [gap, *_why_undecided(result)]
    return f"{head}：{'；'.join(parts)}。" if lang == "zh" else f"{head}: {'; '.join(parts)}."


def _gap(result: GateResult) -> str:
    """The difference with its interval and what it is over."""
    found, lang = result.difference, result.lang
    over = turns_text(found.items, lang), groups_text(found.groups, lang)
    if found.difference is None:
        return {"en": "both have a value on no turn", "zh": "没有双方都有分数的轮次"}[lang]
    gap = _number(found.difference)
    ends = ""
    if found.low is not None and found.high is not None:
        level = f"{100 * (1 - result.settings.level):g} %"
        low, high = _number(found.low), _number(found.high)
        ends = {
            "en": f" ({level} interval {low} to {high})",
            "zh": f"（{level} 区间 {low} 至 {high}）",
        }[lang]
    by = {"en": ", by the judge alone", "zh": "，仅凭评判器"}[lang] if result.metric.judge else ""
    return {
        "en": f"A minus B is {gap}{ends} on {over[0]} in {over[1]}{by}",
        "zh": f"A 减 B 为 {gap}{ends}，共 {over[0]}、{over[1]}{by}",
    }[lang]


def _why_undecided(result: GateResult) -> list[str]:
    """The reasons in words; none where the interval itself leaves it open, which is seen."""
    found, lang = result.difference, result.lang
    if result.verdict is not GateVerdict.UNDECIDED:
        return []
    reasons = []
    too_few = found.ties < found.items and found.groups_differing < MIN_GROUPS
    if result.corrected is None and too_few:
        groups = groups_text(found.groups_differing, lang)
        verb = "differs" if found.groups_differing == 1 else "differ"
        reasons.append(
            {
                "en": f"only {groups} {verb}, and {MIN_GROUPS} are needed",
                "zh": f"只有 {groups}有差异，至少需要 {MIN_GROUPS} 组",
            }[lang]
        )
    if result.unscored:
        turns = turns_text(result.unscored, lang)
        reasons.append(
            {
                "en": f"A has no value on {turns} where B has one",
                "zh": f"有 {turns} B 有分数而 A 没有",
            }[lang]
        )
    return reasons


def verdict_sentence(
    comparison: Comparison,
    difference: Difference,
    *,
    a: str,
    b: str,
    metric: str,
    lang: Lang,
) -> str:
    """The better run, its lead, the certainty of that, and the number of questions behind it.

    `difference` is the overall one of the comparison or one of its cells; `a`, `b` and `metric` are
    the names to show. The better run is named first and the figures are seen from its side, so
    `difference` is then positive; when none is found they are those of a against b.
    """
    if difference.verdict is Verdict.TOO_FEW:
        return _too_few(difference, a, b, metric, lang)
    return _figures(comparison, difference, a, b, metric, lang)


def left_out_sentence(left_out: Mapping[LeftOut, int], *, a: str, b: str, lang: Lang) -> str:
    """The number of questions that are not compared, with the reasons."""
    if not left_out:
        return {"en": "No turn is left out.", "zh": "没有任何一轮被排除。"}[lang]
    total = turns_text(sum(left_out.values()), lang)
    if lang == "zh":
        parts = [f"{n:,} 轮（{_reason(why, a, b, lang)}）" for why, n in left_out.items()]
        return f"未计入 {total}：{'、'.join(parts)}。"
    parts = [f"{n:,} ({_reason(why, a, b, lang)})" for why, n in left_out.items()]
    return f"Left out: {total}: {', '.join(parts)}."


def power_sentence(comparison: Comparison, lang: Lang) -> str:
    """How many of the cells tested could be told apart at all; empty where all can."""
    tested = [cell for cell in comparison.cells.values() if cell.least_p_holm is not None]
    can = sum(cell.can_tell(comparison.settings.level) for cell in tested)
    if can == len(tested):
        return ""
    n, differ = len(tested), max(cell.groups_differing for cell in tested)
    level = f"{100 * comparison.settings.level:g} %"
    if lang == "zh":
        if not can:
            return (
                f"检验的 {n:,} 个单元格无论结果如何都达不到 {level}：一个单元格中最多只有"
                f" {differ:,} 组有差异。请看总体，或用更少、更大的单元格。"
            )
        return f"检验的 {n:,} 个单元格中只有 {can:,} 个可能达到 {level}，其余有差异的组太少。"
    cells = f"{n:,} cell{'' if n == 1 else 's'} tested"
    if not can:
        return (
            f"None of the {cells} can reach {level}, whatever it shows: at most"
            f" {groups_text(differ, lang)} differ in a cell. Look at all together, or at fewer and"
            " larger cells."
        )
    return f"Of the {cells} only {can:,} can reach {level}; in the others too few groups differ."


def tiers_sentence(board: Leaderboard, lang: Lang) -> str:
    """The runs of a leaderboard that are not told apart."""
    if board.groups < MIN_GROUPS:
        counts = turns_text(board.items, lang), groups_text(board.groups, lang)
        if lang == "zh":
            return f"无从判断：所有运行都有分数的只有 {counts[0]}、{counts[1]}。"
        return f"Too few to tell: all runs have a value on only {counts[0]} in {counts[1]}."
    shared = [tier for tier in board.tiers if len(tier) > 1]
    pairs = board.pairs.values()
    # runs without any difference need no test to be told alike
    if any(pair.groups_differing for pair in pairs) and not any(
        pair.can_tell(board.settings.level) for pair in pairs
    ):
        n = f"{len(pairs):,}"
        differ = groups_text(max(pair.groups_differing for pair in pairs), lang)
        if lang == "zh":
            return f"无从判断：{n} 对运行中，一对最多只有 {differ}有差异，检验达不到显著。"
        return (
            f"Nothing can be told apart, whatever the runs show: among {n} pairs at most"
            f" {differ} differ in one."
        )
    if not shared:
        return {"en": "All runs are told apart.", "zh": "各运行之间均有差异。"}[lang]
    if lang == "zh":
        return f"未分出高下：{'；'.join('、'.join(tier) for tier in shared)}。"
    return f"Not told apart: {'; '.join(', '.join(tier) for tier in shared)}."


def _figures(
    comparison: Comparison, difference: Difference, a: str, b: str, metric: str, lang: Lang
) -> str:
    b_leads = difference.verdict in (Verdict.B_BETTER, Verdict.B_HIGHER)
    names, means, counts = (
        (a, b),
        (difference.mean_a, difference.mean_b),
        (difference.wins, difference.losses),
    )
    if b_leads:
        names, means, counts = names[::-1], means[::-1], counts[::-1]
    gain, low, high = difference.difference or 0.0, difference.low or 0.0, difference.high or 0.0
    if difference.verdict is not Verdict.NO_DIFFERENCE and gain < 0:
        gain, low, high = -gain, -high, -low
    verdict = _FROM_A.get(difference.verdict, difference.verdict)
    shown = _metric(metric, comparison.higher_is_better, lang)
    return _FIGURES[lang].format(
        head=_HEADS[lang][verdict].format(x=names[0], y=names[1], metric=shown),
        mean_x=_number(means[0] or 0.0),
        mean_y=_number(means[1] or 0.0),
        gain=_number(gain),
        low=_number(low),
        high=_number(high),
        level=f"{100 * (1 - comparison.settings.level):g} %",
        p=_chance(difference, lang),
        items=turns_text(difference.items, lang),
        groups=groups_text(difference.groups, lang),
        wins=f"{counts[0]:,}",
        ties=f"{difference.ties:,}",
        losses=f"{counts[1]:,}",
    ) + _doubt(difference, lang)


def _doubt(difference: Difference, lang: Lang) -> str:
    """Warns where the interval rests on too few groups that differ; benchmarks/coverage.py."""
    if not 0 < difference.groups_differing < MIN_GROUPS:
        return ""
    groups = groups_text(difference.groups_differing, lang)
    if lang == "zh":
        return f"只有 {groups}有差异，区间偏窄。"
    verb = "differs" if difference.groups_differing == 1 else "differ"
    return f" Only {groups} {verb}: the interval is narrower than it should be."


def _too_few(difference: Difference, a: str, b: str, metric: str, lang: Lang) -> str:
    items, groups = turns_text(difference.items, lang), groups_text(difference.groups, lang)
    if lang == "zh":
        return (
            f"在 {metric} 上，{a} 与 {b} 无从判断：双方都有分数的只有 {items}、{groups}，"
            f"至少需要 {MIN_GROUPS} 组。"
        )
    return (
        f"Too few to tell {a} from {b} on {metric}: both have a value on only {items} in {groups},"
        f" and at least {MIN_GROUPS} groups are needed."
    )


def _reason(why: LeftOut, a: str, b: str, lang: Lang) -> str:
    if why.a == why.b:
        both = {"en": "both", "zh": "双方"}[lang]
        return _labelled(both, why.a, lang)
    sides = ((a, why.a), (b, why.b))
    parts = [_labelled(name, side, lang) for name, side in sides if side is not TurnState.OK]
    return {"en": "; ", "zh": "；"}[lang].join(parts)


def _labelled(name: str, side: TurnState, lang: Lang) -> str:
    return f"{name}{'：' if lang == 'zh' else ': '}{_SIDES[side][lang]}"


def _metric(name: str, higher_is_better: bool | None, lang: Lang) -> str:
    """The metric's name with its direction where that is not the usual one."""
    if higher_is_better is False:
        return name + {"en": " (lower is better)", "zh": "（越低越好）"}[lang]
    return name + {"en": "", "zh": " "}[lang]


def _chance(difference: Difference, lang: Lang) -> str:
    text = _p(difference.p or 0.0)
    if difference.p_holm is None:
        return text
    adjusted = _p(difference.p_holm)
    return {"en": f"{text}, after Holm {adjusted}", "zh": f"{text}，Holm 校正后 {adjusted}"}[lang]


def _p(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _number(value: float) -> str:
    """Three decimals, or one significant digit where three decimals would show nothing."""
    if value == 0 or abs(value) >= 0.0005:
        return f"{value:.3f}"
    return f"{value:.1g}"


def turns_text(n: int, lang: Lang) -> str:
    """`272 turns`."""
    return f"{n:,} 轮" if lang == "zh" else f"{n:,} turn{'' if n == 1 else 's'}"


def groups_text(n: int, lang: Lang) -> str:
    """`66 groups`."""
    return f"{n:,} 组" if lang == "zh" else f"{n:,} group{'' if n == 1 else 's'}"
