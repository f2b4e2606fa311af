"""A judge and its metrics, as the questions that let one score answers ask for them."""

from __future__ import annotations

import re

from engine.judge.base import JudgeSpec
from tui.language import tr
from tui.screens.form import Values
from tui.screens.model_form import OFFLINE


def judge_words(spec: JudgeSpec) -> str:
    if spec.members:
        names = ", ".join(member.name for member in spec.members)
        return tr("{kind} of {names}", kind=spec.kind, names=names)
    models = ", ".join(one for one in models_asked(spec) if one != OFFLINE)
    how = tr("asks {models}", models=models) if models else tr("asks no model")
    return ", ".join((spec.kind, *([tr("stand-in")] if spec.stands_in else []), how))


def models_asked(spec: JudgeSpec) -> tuple[str, ...]:
    """The names of the providers that a judge and its members ask; `offline` where they compute."""
    asked = [name for one in (*spec.members, spec) for name in _providers(one)]
    return tuple(dict.fromkeys(asked)) or (OFFLINE,)


def _providers(spec: JudgeSpec) -> list[str]:
    names = [spec.provider.name] if spec.provider is not None else []
    return [*names, spec.embeds_at] if spec.embeds_at else names


def metrics_of(values: Values) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, re.split(r"[\s,]+", values["metrics"]))))


def metrics_trouble(values: Values, spec: JudgeSpec) -> str:
    """Why the metrics will not do; empty when they will."""
    unknown = [metric for metric in metrics_of(values) if metric not in spec.metrics]
    return (
        tr(
            "{name} gives {metrics}; not {unknown}.",
            name=spec.name,
            metrics=", ".join(spec.metrics),
            unknown=unknown[0],
        )
        if unknown
        else ""
    )
