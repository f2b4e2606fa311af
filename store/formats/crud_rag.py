"""CRUD-RAG's output files: one JSON document for each task and model, with answers and metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from store.errors import InputError
from store.formats.faults import read_json

TASKS = {
    "ContinueWriting": "continuation",
    "QuestAnswer1Doc": "qa_1doc",
    "QuestAnswer2Docs": "qa_2doc",
    "QuestAnswer3Docs": "qa_3doc",
    "HalluModified": "hallucination_fix",
    "Summary": "summarization",
}
"""Class of the task, as files and their `info` name it, to task key of taxonomy `crud`."""

_KEYS = {
    "continuing_writing": "continuation",
    "questanswer_1doc": "qa_1doc",
    "questanswer_2docs": "qa_2doc",
    "questanswer_3docs": "qa_3doc",
    "hallu_modified": "hallucination_fix",
    "event_summary": "summarization",
}
"""Key of the task in their question file."""

_QUESTION = {
    "continuation": "beginning",
    "hallucination_fix": "newsBeginning",
    "summarization": "event",
}
_NEWS = ("news1", "news2", "news3")


class Original(Struct, frozen=True):
    """An item of the authors' question file."""

    question: str
    news: tuple[str, ...] = ()
    """The articles that a question was made from."""


class SavedQuestions(Struct, frozen=True):
    """An entry of the authors' files of RAGQuestEval's questions; some are empty."""

    key_info: tuple[str, ...] = ()
    question: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


class CrudResult(Struct, frozen=True):
    id: str
    generated: str
    golden: str
    metrics: dict[str, float | None]
    questions: int | None
    """The number of questions that RAGQuestEval asked; null where it was not enabled."""
    valid: bool
    original: Original | None


class CrudOutput(Struct, frozen=True):
    task: str
    """Task key of taxonomy `crud`."""
    model: str
    results: tuple[CrudResult, ...]


class _QuestEval(Struct, frozen=True):
    questions_gt: list[Any] | None = None


class _Log(Struct, frozen=True):
    generated_text: str | None = None
    ground_truth_text: str | None = None
    quest_eval_save: _QuestEval | None = None


class _Result(Struct, frozen=True):
    id: str | int
    log: _Log
    metrics: dict[str, float | None] = {}
    valid: bool = True
    original_data: dict[str, Any] | None = None


class _Info(Struct, frozen=True):
    task: str = ""
    llm: Any = None


class _Output(Struct, frozen=True):
    results: list[_Result]
    info: _Info = _Info()


def read_output(file: Path) -> CrudOutput:
    """Reads one output file. Raises InputError with file and field, and for an id that occurs
    twice.
    """
    output = read_json(file, _Output)
    task = _task(output.info.task) or _task(file.stem)
    if task is None:
        raise InputError(
            f"{file}: neither `info.task` nor the file's name is a task of CRUD-RAG.",
            f"Their names: {', '.join(TASKS)}.",
        )
    results = tuple(_result(task, result) for result in output.results)
    seen: set[str] = set()
    for position, result in enumerate(results):
        if result.id in seen:
            raise InputError(f"{file}: field `results[{position}].id`: {result.id!r} occurs twice.")
        seen.add(result.id)
    model = output.info.llm if isinstance(output.info.llm, str) else ""
    return CrudOutput(task, model, results)


def read_questions(file: Path) -> dict[tuple[str, str], Original]:
    """Maps (task key, id) to the item of the authors' question file (`split_merged.json`)."""
    questions: dict[tuple[str, str], Original] = {}
    for key, rows in read_json(file, dict[str, list[dict[str, Any]]]).items():
        task = _KEYS.get(key)
        if task is not None:
            for row in rows:
                original = _original(task, row)
                if original is not None:
                    questions[task, str(row.get("ID", row.get("id")))] = original
    return questions


def read_question_sets(file: Path) -> tuple[str | None, dict[str, SavedQuestions]]:
    """The task of a file of saved question sets (`TASK_quest_gt_save.json`), null where its name
    does not say, and the sets by id. Raises InputError with the place of another shape."""
    return _task(file.stem), read_json(file, dict[str, SavedQuestions])


def _task(name: str) -> str | None:
    # some of their releases write QuestAnswer2Doc
    for known, key in TASKS.items():
        if name.removesuffix("s").startswith(known.removesuffix("s")):
            return key
    return None


def _result(task: str, result: _Result) -> CrudResult:
    questions = result.log.quest_eval_save
    return CrudResult(
        str(result.id),
        result.log.generated_text or "",
        result.log.ground_truth_text or "",
        result.metrics,
        None if questions is None else len(questions.questions_gt or ()),
        result.valid,
        _original(task, result.original_data or {}),
    )


def _original(task: str, data: dict[str, Any]) -> Original | None:
    question = data.get(_QUESTION.get(task, "questions"))
    if isinstance(question, list):
        question = "\n".join(str(part) for part in question)
    if not isinstance(question, str) or not question.strip():
        return None
    if task == "hallucination_fix" and isinstance(data.get("hallucinatedContinuation"), str):
        question = f"{question}\n{data['hallucinatedContinuation']}"
    news = [data.get(field) for field in _NEWS] if task.startswith("qa_") else []
    return Original(
        question, tuple(text for text in news if isinstance(text, str) and text.strip())
    )
