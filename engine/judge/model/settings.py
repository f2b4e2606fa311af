"""Model judges: the `[judges.NAME]` tables that name no other method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.judge.base import LABELLED, JudgeSpec
from engine.judge.model.asking import ASKED_METRICS, PromptLang, examples_of, judge_prompts
from engine.judge.settings import MODEL_METHOD, AskingTable, JudgeTable, provider_config
from engine.models.settings import Provider, providers
from engine.prompts.languages import LANGS
from engine.prompts.templates import prompt_ids
from store.errors import InputError, NotFound
from store.messages import choices

MODEL_JUDGE_VERSION = 1
"""Raised whenever the way of asking or of reading replies changes what an answer may score."""


class _ModelTable(AskingTable):
    metrics: tuple[str, ...] = LABELLED
    lang: PromptLang = "item"
    prompts: str = "judge"
    examples: str = ""


def model_judges(folder: Path, tables: Sequence[JudgeTable]) -> list[JudgeSpec]:
    """The model judges that the tables define, with their prompts and examples in full, so that a
    judge whose files have changed since can still be read.

    Raises InputError, naming file and field, for an unknown field or metric, a model that is no
    provider, a prompt without its parts, and an example that fits no metric.
    """
    known = providers(folder) if tables else {}
    return [_read(folder, table, known) for table in tables]


def _read(folder: Path, written: JudgeTable, known: dict[str, Provider]) -> JudgeSpec:
    table, provider = written.read(_ModelTable, known)
    unknown = [metric for metric in table.metrics if metric not in ASKED_METRICS]
    if unknown or not table.metrics:
        raise InputError(
            f"{written.place}.metrics holds {unknown[0]!r}."
            if unknown
            else f"{written.place}.metrics is empty.",
            f"The metrics are {', '.join(ASKED_METRICS)}.",
        )
    metrics = tuple(metric for metric in ASKED_METRICS if metric in table.metrics)
    prompts = _prompts(folder, table, metrics, written.place)
    examples = examples_of(folder / table.examples, metrics) if table.examples else ()
    config = {
        "judge": written.name,
        "kind": MODEL_METHOD,
        "version": MODEL_JUDGE_VERSION,
        "provider": provider_config(provider),
        "metrics": list(metrics),
        "lang": table.lang,
        "temperature": table.temperature,
        "max_tokens": table.max_tokens,
        "repeats": table.repeats,
        "prompt_folder": table.prompts,
        "prompts": prompts,
        "examples": [msgspec.to_builtins(example) for example in examples],
    }
    return JudgeSpec(written.name, MODEL_METHOD, metrics, config, provider, table.repeats)


def _prompts(
    folder: Path, table: _ModelTable, metrics: tuple[str, ...], place: str
) -> dict[str, str]:
    """The judge's templates. InputError naming the field where one is nowhere: the fault is in
    the file, whatever was typed."""
    try:
        return judge_prompts(folder, table.prompts, metrics, table.lang)
    except NotFound as error:
        langs = LANGS if table.lang == "item" else (table.lang,)
        known = {
            prompt_id.rpartition("/")[0]
            for lang in langs
            for prompt_id in prompt_ids(lang, folder / "prompts")
            if prompt_id.rpartition("/")[2] in metrics
        }
        raise InputError(
            f"{place}.prompts is {table.prompts!r}: {error.message[0].lower()}{error.message[1:]}",
            choices(table.prompts, sorted(known), "Folders with templates of judges"),
        ) from error
