"""What a jury says of one metric of an answer, from what its members say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.prompts.languages import by_lang
from store.records import MetricScore, ScoreState

_SAID = (ScoreState.OK, ScoreState.NA)


class _Words(NamedTuple):
    """Reasons, in the language of the item."""

    no_quorum: str
    silent: str
    median: str
    beside: str


_EN = _Words(
    "no quorum: {} of {} gave a value, not {} ({})",
    "{} of {} say that it does not apply",
    "median of {}",
    "; n/a by {}",
)
_ZH = _Words(
    "未达法定人数：{}个成员说了分值（共{}个），应有{}个（{}）",
    "{}个成员认为不适用（共{}个）",
    "{}的中位数",
    "；{}个认为不适用",
)


def verdict(
    metric: str, said: Mapping[str, MetricScore], quorum: int, lang: str = "en"
) -> MetricScore:
    """The jury's score, in variant `standard`, from the members' scores by name, with its reason in
    this language.

    The metric does not apply where more than half of those who say anything say so; else the score
    is the median of the values, the lower one of two in the middle. With fewer than `quorum`
    members who give a value or say that it does not apply, the state is `error`, with what became
    of the others.
    """
    words = by_lang(lang, _ZH, _EN)
    usable = [score for score in said.values() if score.state in _SAID]
    values = sorted(score.value for score in usable if score.value is not None)
    if len(usable) < quorum:
        others = "; ".join(
            f"{name}: {score.state}" for name, score in said.items() if score.state not in _SAID
        )
        reason = words.no_quorum.format(len(usable), len(said), quorum, others)
        return MetricScore(metric, "standard", None, ScoreState.ERROR, reason)
    silent = len(usable) - len(values)
    if silent * 2 > len(usable):
        reason = words.silent.format(silent, len(usable))
        return MetricScore(metric, "standard", None, ScoreState.NA, reason)
    shown = ", ".join(f"{value:g}" for value in values)
    beside = words.beside.format(silent) if silent else ""
    return MetricScore(
        metric,
        "standard",
        values[(len(values) - 1) // 2],
        ScoreState.OK,
        words.median.format(shown) + beside,
    )


def told(said: Mapping[str, MetricScore], quorum: int) -> dict[str, object]:
    """The members' scores as details of the jury's."""
    return {
        "members": [
            {
                "text": f"{name}: {_shown(score)}",
                "value": score.value,
                "state": score.state.value,
                **({"reason": score.reason} if score.reason else {}),
            }
            for name, score in said.items()
        ],
        "quorum": quorum,
    }


def _shown(score: MetricScore) -> str:
    if score.value is not None:
        return f"{score.value:g}"
    return "n/a" if score.state is ScoreState.NA else score.state.value
