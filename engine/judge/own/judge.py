"""A judge whose scores a function of the workspace gives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Any

from engine.judge.base import Case, Judgement, JudgeSpec
from engine.judge.own.metrics import own_spec
from engine.judge.own.settings import source_of
from engine.models.chat import Ask
from engine.plugins.calling import CallFailed, CallLimits, python_host
from store.errors import InputError
from store.hashing import content_hash
from store.records import MetricScore, Passage, ScoreState

_SHOWN = 200
_FIELDS = {"value", "reason", "details"}


class OwnJudge:
    """All metrics of a case come of one call. Raises InputError when the file has changed since
    the judge was found."""

    def __init__(self, folder: Path, spec: JudgeSpec) -> None:
        self.metrics = tuple(own_spec(name) for name in spec.metrics)
        config = spec.config
        source = source_of(folder, config["file"], f"Judge {spec.name!r}")
        if content_hash(source) != config["file_hash"]:
            raise InputError(
                f"Judge {spec.name!r}: {config['file']} has changed since the job was queued.",
                "Judge the run again: with another file it is another judge.",
            )
        self._host = python_host(
            {"file": config["file"], "source": source, "name": "judge"},
            CallLimits(config["timeout_s"], config["memory_mb"]),
        )

    async def judge(
        self, case: Case, metrics: Collection[str], ask: Ask
    ) -> AsyncIterator[Judgement]:
        wanted = [spec.name for spec in self.metrics if spec.name in metrics]
        try:
            given = self._host.call(case_values(case))
        except CallFailed as error:
            for name in wanted:
                yield Judgement(MetricScore(name, "standard", None, ScoreState.ERROR, str(error)))
            return
        for name in wanted:
            yield read_value(name, given)


def case_values(case: Case) -> dict[str, Any]:
    """A case as a function is given it."""
    return {
        "question": case.question,
        "history": [list(turn) for turn in case.history],
        "golden_answers": list(case.golden_answers),
        "answer": case.answer,
        "passages": [_passage(one) for one in case.passages],
        "evidence": [one.text for one in case.evidence],
        "keypoints": list(case.keypoints),
        "lang": case.lang,
        "closed_book": case.closed_book,
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {"document_id": passage.document_id, "title": passage.title, "text": passage.text}


def read_value(metric: str, given: Any) -> Judgement:
    """The score of a metric in what a function gave.

    That is an object with a value for each metric: a number, null, or an object with `value`,
    `reason` and `details`. A number from 0 to 1 is `ok`, another `out_of_range`, null `na`,
    anything else `unparsed`.
    """
    if not isinstance(given, dict) or metric not in given:
        return _failed(metric, ScoreState.UNPARSED, f"judge(case) gave no {metric}", given)
    value, reason, details = given[metric], "", None
    if isinstance(value, dict):
        if "value" not in value or value.keys() - _FIELDS:
            said = "an object needs value, and may have reason and details"
            return _failed(metric, ScoreState.UNPARSED, said, value)
        reason, details = str(value.get("reason") or ""), value.get("details")
        value = value["value"]
    if details is not None and not isinstance(details, dict):
        return _failed(metric, ScoreState.UNPARSED, "details are no object", details)
    if value is None:
        reason = reason or "the function: n/a"
        return Judgement(
            MetricScore(metric, "standard", None, ScoreState.NA, reason), details=details
        )
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return _failed(metric, ScoreState.UNPARSED, "the value is no number", value)
    if not 0 <= value <= 1:
        return _failed(metric, ScoreState.OUT_OF_RANGE, "the value is not from 0 to 1", value)
    score = MetricScore(metric, "standard", float(value), ScoreState.OK, reason)
    return Judgement(score, details=details)


def _failed(metric: str, state: ScoreState, problem: str, given: Any) -> Judgement:
    reason = f"{problem}: {repr(given)[:_SHOWN]}"
    return Judgement(MetricScore(metric, "standard", None, state, reason))
