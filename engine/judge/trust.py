"""What captions say of a judge: its agreement with people, its kinship with the answerer."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from store.records import Lang

_WORDS: dict[Lang, tuple[str, str, str]] = {
    "en": ("kappa {} vs people (n {})", "undefined", "stale: of an older configuration"),
    "zh": ("与人工标注的 κ {}（n {}）", "无定义", "已过时：来自旧的配置"),
}
_AUDIT: dict[Lang, str] = {"en": "audit: {}", "zh": "审计：{}"}
_VERDICTS_ZH = {
    "trusted": "可信",
    "not trusted": "不可信",
    "too few labels": "标注太少",
    "stale": "已过时",
}
PREFERENCE = "judges tend to prefer answers of their own kind"
_KINSHIP: dict[Lang, str] = {
    "en": "judge and answerer are of one family ({})",
    "zh": "评判模型与回答模型同属一个家族（{}）",
}
_JOIN: dict[Lang, str] = {"en": ", ", "zh": "，"}


class JudgeTrust(Struct, frozen=True):
    """The agreement of a judge with people on a metric, over all labelled answers."""

    judge: str
    kappa: float | None
    """Cohen's, plain; null where it is not defined."""
    n: int
    stale: bool
    """Whether the figures are of an older configuration than the one that gave the scores."""
    audit: str = ""
    """The verdict of the newest audit of the configuration that gave the scores; empty where it was
    not audited."""


def trust_text(trust: JudgeTrust, lang: Lang) -> str:
    """`kappa .64 vs people (n 250)`, with a warning when it is stale, and what an audit found."""
    sentence, undefined, stale = _WORDS[lang]
    figure = undefined
    if trust.kappa is not None:
        figure = f"{trust.kappa:.2f}"
        if abs(trust.kappa) < 1:
            figure = figure.replace("0.", ".", 1)
    parts = [sentence.format(figure, f"{trust.n:,}"), *([stale] if trust.stale else [])]
    if trust.audit:
        verdict = trust.audit if lang == "en" else _VERDICTS_ZH.get(trust.audit, trust.audit)
        parts.append(_AUDIT[lang].format(verdict))
    return _JOIN[lang].join(parts)


def family_text(shared: Sequence[str], lang: Lang) -> str:
    """What to say of the families of models that both judge and answer."""
    return _KINSHIP[lang].format(", ".join(shared))
