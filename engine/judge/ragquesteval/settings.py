"""RAGQuestEval's judges: the `[judges.NAME]` tables with `method = "ragquesteval"`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from engine.judge.base import JudgeSpec
from engine.judge.ragquesteval.metrics import METRICS
from engine.judge.settings import JudgeTable, PromptedTable, prompted_config
from engine.judge.templates import read_named_templates, with_slots
from engine.models.settings import providers
from engine.settings.fields import Variant, about
from store.datasets import question_sets
from store.errors import InputError
from store.messages import choices
from store.workspace import open_workspace

KIND = "ragquesteval"
VERSION = 1
"""Raised whenever the way of asking or of reading replies changes what an answer may score."""

Variation = Literal["crud", "standard"]


class _Table(PromptedTable):
    variant: Annotated[
        Variation, about("crud: as CRUD-RAG's code counts; standard: as its paper says")
    ] = "crud"
    questions: Annotated[
        str, about("name of imported question sets; empty: the model writes the questions")
    ] = ""
    prompts: Annotated[str, about("folder of its templates in prompts/LANG/")] = KIND


VARIANTS = (Variant(KIND, "asks an answer the questions that the gold answers", _Table),)


def quest_judge(folder: Path, written: JudgeTable) -> JudgeSpec:
    """The judge that a table defines.

    Raises InputError, naming file and field, for an unknown field, a model that is no provider, a
    prompt without its parts or slots, and question sets that were not imported.
    """
    table, provider = written.read(_Table, providers(folder))
    checks = {"questions": with_slots("text"), "answers": with_slots("text", "questions")}
    prompts = read_named_templates(folder, table.prompts, table.lang, checks, written.place)
    config = {
        "judge": written.name,
        "kind": KIND,
        "version": VERSION,
        "variant": table.variant,
        **prompted_config(table, provider, prompts),
        "questions": table.questions,
        "questions_hash": _hash(folder, table.questions, written.place),
    }
    metrics = tuple(spec.name for spec in METRICS if spec.variant == table.variant)
    return JudgeSpec(written.name, KIND, metrics, config, provider, table.repeats)


def _hash(folder: Path, name: str, place: str) -> str:
    """Of the question sets of that name; empty for an empty name."""
    if not name:
        return ""
    with open_workspace(folder) as workspace:
        found = question_sets.hash_of(workspace.db, name)
        if found is None:
            raise InputError(
                f"{place}.questions is {name!r}, and no question sets of that name are here.",
                choices(name, question_sets.names(workspace.db), "There are")
                + " Import them first.",
                "ragdesk import question-sets FILE --dataset NAME",
            )
        return found
