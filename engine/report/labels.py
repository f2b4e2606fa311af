"""Labels in both languages of a report, each declared once."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from engine.prompts.languages import by_lang
from store.records import Lang
from store.runs.results import MetricKey

T = TypeVar("T")


class Label(Generic[T]):
    """What a label is in English and in Chinese; read from labels of a language, the one of it."""

    def __init__(self, en: T, zh: T) -> None:
        self._en, self._zh = en, zh

    def __get__(self, labels: LabelsIn, owner: type) -> T:
        return by_lang(labels.lang, self._zh, self._en)


class LabelsIn:
    """Labels in a language: each attribute of a subclass is a `Label`."""

    def __init__(self, lang: Lang) -> None:
        self.lang = lang

    def by_name(self) -> dict[str, Any]:
        """Returns every label by its name, in the order in which they are declared."""
        named = vars(type(self)).items()
        return {name: getattr(self, name) for name, one in named if isinstance(one, Label)}


def metric_label(key: MetricKey, lang: Lang) -> str:
    """Returns what a metric is called: `rougeL`, `f1 (crud)`, `accuracy (judge rules)`."""
    return f"{key.name}（评判器 {key.judge}）" if lang == "zh" and key.judge else key.label
