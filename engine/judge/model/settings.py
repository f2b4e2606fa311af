"""Model judges: the `[judges.NAME]` tables that name no other method."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from engine.judge.base import LABELLED, JudgeSpec
from engine.judge.model.asking import ASKED_METRICS, examples_of, slot_checks
from engine.judge.settings import (
    MODEL_METHOD,
    JudgeTable,
    PromptedTable,
    chosen_metrics,
    prompted_config,
)
from engine.judge.templates import read_named_templates
from engine.models.settings import providers
from engine.settings.fields import Variant, about
from engine.settings.reader import check_ranges

MODEL_JUDGE_VERSION = 1
"""Raised whenever the way of asking or of reading replies changes what an answer may score."""


class _ModelTable(PromptedTable):
    metrics: Annotated[tuple[str, ...], about("what it scores", "metrics")] = LABELLED
    prompts: Annotated[str, about("folder of its templates in prompts/LANG/")] = "judge"
    examples: Annotated[
        str, about("file of judged examples that the model is shown; empty: none")
    ] = ""
    max_document_tokens: Annotated[
        int | None, about("tokens of the documents that it is shown; empty: all")
    ] = None
    variant: Annotated[
        Literal["standard", "omnieval"], about("whose metrics and way of asking")
    ] = "standard"


VARIANTS = (Variant("model", "a model, asked by one prompt for each metric", _ModelTable),)


def model_judge(folder: Path, written: JudgeTable) -> JudgeSpec:
    """The model judge that a table defines, with its prompts and examples in full, so that a judge
    whose files have changed since can still be read.

    Raises InputError, naming file and field, for an unknown field or metric, a model that is no
    provider, a prompt without its parts, and an example that fits no metric.
    """
    table, provider = written.read(_ModelTable, providers(folder))
    bound = table.max_document_tokens
    check_ranges(written.place, (("max_document_tokens", bound, 1, 10_000_000),))
    metrics = chosen_metrics(table.metrics, ASKED_METRICS, written.place)
    prompts = read_named_templates(
        folder, table.prompts, table.lang, slot_checks(metrics), written.place
    )
    examples = examples_of(folder / table.examples, metrics) if table.examples else ()
    config = {
        "judge": written.name,
        "kind": MODEL_METHOD,
        "version": MODEL_JUDGE_VERSION,
        "metrics": list(metrics),
        **prompted_config(table, provider, prompts),
        "examples": [msgspec.to_builtins(example) for example in examples],
    }
    # absent where it is not used, so that what was judged without it keeps its judge
    if provider.json_schema:
        config["json_schema"] = True
    if table.variant != "standard":
        config["variant"] = table.variant
    if bound is not None:
        config["max_document_tokens"] = bound
    return JudgeSpec(written.name, MODEL_METHOD, metrics, config, provider, table.repeats)
