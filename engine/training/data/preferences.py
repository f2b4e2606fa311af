"""Preferences between two answers as records and as rows of trainers, split by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Literal

from msgspec import Struct

from engine.labelling.human_label import LabelSource
from engine.training.data.bundle import (
    IN_CONFLICT,
    NEAR_DUPLICATE,
    SIDES,
    TOO_FEW_RATERS,
    UNFINISHED,
)
from engine.training.data.cases import has_raters, labelled_cases
from engine.training.data.pairs import FORM_KEY, LabelledPair, labelled_pairs, step
from engine.training.data.shapes import Row
from engine.training.data.sides import SPLIT_NAME, assign_sides
from store.errors import InputError
from store.labels import standing
from store.labels.samples import samples
from store.labels.standing import Key, Provenance
from store.records import Lang
from store.runs import details, runs
from store.runs.details import PredictionDetail
from store.workspace import Workspace

PairShape = Literal["trl", "alpaca", "sharegpt"]

TIE = "neither is preferred"
NO_ANSWER = "an answer is missing"
EQUAL = "both answers are equal"


class WantedPairs(Struct, frozen=True):
    """The preferences to export."""

    sample: str = ""
    """A labelled sample; empty for every labelled pair."""
    runs: tuple[str, ...] = ()
    """Only pairs of these runs."""
    field: str = "overall"
    """Of the form: by what one answer is preferred."""
    split: str = SPLIT_NAME
    min_raters: int = 1
    """Preferences of fewer raters are left out, unless somebody ruled on them."""


class PreferenceRecord(Struct, frozen=True):
    """A question with the answer that people prefer and the other one."""

    id: str
    split: str
    field: str
    question: str
    history: tuple[tuple[str, str], ...]
    """Earlier turns with their golden answers."""
    golden_answers: tuple[str, ...]
    chosen: str
    rejected: str
    chosen_run: str
    rejected_run: str
    lang: Lang
    group_id: str
    """The question: all its records are on one side, those of judge data too."""
    topic: str
    task: str
    source: LabelSource
    rater_labels: tuple[int, ...]
    """-2 (the rejected one is much better) to 2 (the chosen one is)."""
    raters: tuple[str, ...]
    """In the order of `rater_labels`."""
    agreement: float
    """Share of raters who prefer the chosen answer."""
    adjudicator: str
    rationale: str
    """The raters' comments."""
    origins: tuple[str, ...]
    active_ms_median: int | None
    guideline_versions: tuple[str, ...]


class Preferences(Struct, frozen=True):
    """Records by side, in the order of pairs."""

    records: Mapping[str, tuple[PreferenceRecord, ...]]
    """Every side, empty ones included."""
    left_out: Mapping[str, int]
    """Pairs that are not exported, by reason."""
    pairs: frozenset[str]
    """Names of the labelled pairs, those left out included."""

    @property
    def all(self) -> tuple[PreferenceRecord, ...]:
        return tuple(record for side in SIDES for record in self.records[side])


def gather_preferences(
    workspace: Workspace,
    wanted: WantedPairs,
    name: Callable[[str], str],
    *,
    keep: bool = True,
) -> Preferences:
    """The preferences of a workspace. Pairs without a side get one now, and keep it unless `keep`
    is false: for looking ahead.

    `name` is how a rater is called. Raises InputError when no pair is labelled, NotFound for an
    unknown sample or run.
    """
    db = workspace.db
    inside = _sampled(workspace, wanted.sample) if wanted.sample else None
    of_runs = {runs.get(db, run).id for run in wanted.runs}

    def is_wanted(subject: str, a: PredictionDetail, b: PredictionDetail) -> bool:
        in_runs = not of_runs or {a.run_id, b.run_id} <= of_runs
        return in_runs and (inside is None or subject in inside)

    pairs = [pair for pair in labelled_pairs(db) if is_wanted(pair.name, pair.a, pair.b)]
    if not pairs:
        raise InputError(
            "No pair of answers is completely labelled.",
            "Label some first, in a sample of pairs.",
            "ragdesk sample draw NAME --form preference --run RUN RUN --per-cell N",
        )
    placed = assign_sides(workspace, labelled_cases(db), name=wanted.split, keep=keep)
    provenance = standing.provenance(db, FORM_KEY)
    records: dict[str, list[PreferenceRecord]] = {side: [] for side in SIDES}
    left_out: Counter[str] = Counter()
    for pair in pairs:
        side = placed[pair.name].side
        if reason := _reason(pair, wanted, side):
            left_out[reason] += 1
            continue
        if side not in records:
            raise InputError(f"Split {wanted.split!r} has a side {side!r}; judge data has none.")
        records[side].append(_record(pair, wanted.field, side, provenance, name))
    for subject in standing.unfinished(db, FORM_KEY):
        a, b = (details.prediction(db, int(number)) for number in subject.split(":"))
        left_out[UNFINISHED] += is_wanted(subject, a, b)
    return Preferences(
        {side: tuple(rows) for side, rows in records.items()},
        {reason: count for reason, count in left_out.items() if count},
        frozenset(pair.name for pair in pairs),
    )


def _reason(pair: LabelledPair, wanted: WantedPairs, side: str | None) -> str:
    """Why a pair gives no record; empty where it gives one."""
    label = pair.preferences.get(wanted.field)
    if label is None:
        return IN_CONFLICT
    if not has_raters(label, wanted.min_raters):
        return TOO_FEW_RATERS
    if label.value == 0:
        return TIE
    if not (pair.a.answer or "").strip() or not (pair.b.answer or "").strip():
        return NO_ANSWER
    if pair.a.answer == pair.b.answer:
        return EQUAL
    return NEAR_DUPLICATE if side is None else ""


def _record(
    pair: LabelledPair,
    field: str,
    side: str,
    provenance: Mapping[Key, Provenance],
    name: Callable[[str], str],
) -> PreferenceRecord:
    label = pair.preferences[field]
    assert label is not None
    assert label.value is not None
    chosen, rejected = (pair.a, pair.b) if label.value < 0 else (pair.b, pair.a)
    known = [
        entry
        for rater in label.raters
        if (entry := provenance.get((pair.name, field, rater.rater))) is not None
    ]
    steps = tuple(label.value * step(rater.value) for rater in label.raters)
    content = pair.a.content
    return PreferenceRecord(
        id=f"{pair.a.run_name}:{pair.b.run_name}/{pair.a.item_key}/{pair.a.turn}/{field}"
        + (f"/{pair.a.repeat}" if pair.a.repeat else ""),
        split=side,
        field=field,
        question=pair.question,
        history=pair.history,
        golden_answers=content.turns[pair.a.turn].golden_answers,
        chosen=chosen.answer or "",
        rejected=rejected.answer or "",
        chosen_run=chosen.run_name,
        rejected_run=rejected.run_name,
        lang=content.lang,
        group_id=pair.group,
        topic=content.topic,
        task=content.task,
        source=label.source,
        rater_labels=steps,
        raters=tuple(name(rater.rater) for rater in label.raters),
        agreement=round(sum(one > 0 for one in steps) / len(steps), 6),
        adjudicator=name(label.adjudicator) if label.adjudicator else "",
        rationale="\n".join(one.comment.strip() for one in known if one.comment.strip()),
        origins=tuple(sorted({one.origin for one in known})),
        active_ms_median=round(median(one.active_ms for one in known)) if known else None,
        guideline_versions=tuple(sorted({one.guideline for one in known if one.guideline})),
    )


def _sampled(workspace: Workspace, name: str) -> frozenset[str]:
    sample = samples.get(workspace.db, name)
    if sample.form_key != FORM_KEY:
        raise InputError(
            f"Sample {name!r} is of form {sample.form_key!r}.",
            f"Preferences are labels of form {FORM_KEY!r}.",
        )
    return frozenset(candidate.subject for candidate in samples.taken(workspace.db, sample))


# rows


def _trl(record: PreferenceRecord) -> Row:
    prompt = []
    for question, answer in record.history:
        prompt += [_turn("user", question), _turn("assistant", answer)]
    return {
        "prompt": [*prompt, _turn("user", record.question)],
        "chosen": [_turn("assistant", record.chosen)],
        "rejected": [_turn("assistant", record.rejected)],
    }


def _turn(role: str, content: str) -> Row:
    return {"role": role, "content": content}


def _alpaca(record: PreferenceRecord) -> Row:
    return {
        "instruction": record.question,
        "input": "",
        "chosen": record.chosen,
        "rejected": record.rejected,
        "history": [list(turn) for turn in record.history],
    }


def _sharegpt(record: PreferenceRecord) -> Row:
    turns = []
    for question, answer in record.history:
        turns += [_said("human", question), _said("gpt", answer)]
    return {
        "conversations": [*turns, _said("human", record.question)],
        "chosen": _said("gpt", record.chosen),
        "rejected": _said("gpt", record.rejected),
    }


def _said(who: str, text: str) -> Row:
    return {"from": who, "value": text}


PAIR_SHAPES: dict[PairShape, Callable[[PreferenceRecord], Row]] = {
    "trl": _trl,
    "alpaca": _alpaca,
    "sharegpt": _sharegpt,
}
"""TRL's conversational preferences, and LLaMA-Factory's in both of its formats."""


def pair_dataset_info(files: Sequence[tuple[PairShape, str, str]]) -> Row:
    """LLaMA-Factory's register of the given (shape, side, file) entries, as preferences."""
    tables: Row = {}
    for shape, side, file in files:
        entry: Row = {"file_name": file, "ranking": True}
        columns = {"chosen": "chosen", "rejected": "rejected"}
        if shape == "alpaca":
            columns |= {"prompt": "instruction", "query": "input", "history": "history"}
        else:
            entry["formatting"] = "sharegpt"
            columns["messages"] = "conversations"
        tables[f"preference_{shape}_{side}"] = {**entry, "columns": columns}
    return tables
