"""The content of an export of judge data: the records by side, and those that are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from engine.judge.base import LABELLED
from engine.judge.model.asking import ASKED_METRICS, JudgePrompts, check_slots, judge_prompts
from engine.judge.model.passages import asked_spec
from engine.labelling.forms import find_form
from engine.prompts.languages import LANGS
from engine.prompts.templates import PromptText
from engine.training.data.cases import FORM_KEY, has_raters, labelled_cases
from engine.training.data.judge_records import JudgeRecord, Template, records_of
from engine.training.data.shapes import ReplyStyle, template_for
from engine.training.data.sides import SPLIT_NAME, assign_sides
from store.errors import InputError, UsageError
from store.formats.faults import read_utf8
from store.hashing import content_hash
from store.labels import standing
from store.labels.forms import Form
from store.labels.samples import samples
from store.messages import choices
from store.records import Lang
from store.runs import details, runs
from store.workspace import Workspace

SIDES = ("train", "validation", "test")

IN_CONFLICT = "in conflict"
NEAR_DUPLICATE = "near-duplicate of both sides"
UNFINISHED = "unfinished"
TOO_FEW_RATERS = "by too few raters"
NEVER_ASKED = "no judge is asked"


class Wanted(Struct, frozen=True):
    """The labels to export, and the form of the requests that they become."""

    form: str = FORM_KEY
    """Of the labels; one of one's own is about answers, and its scales are the metrics."""
    sample: str = ""
    """A labelled sample; empty for every labelled answer."""
    runs: tuple[str, ...] = ()
    metrics: tuple[str, ...] = LABELLED
    prompts: str = "judge"
    """The folder of templates, as `[judges.NAME]` in ragdesk.toml names it."""
    prompt_files: Mapping[str, Path] = {}
    """By metric, or under the empty name for all: files in the place of templates."""
    split: str = SPLIT_NAME
    soft: bool = False
    reply: ReplyStyle = "value"
    rationale: bool = False
    """Whether the raters' comments are the reason in the reply, where the template asks for one."""
    min_raters: int = 1
    """Labels of fewer raters are left out, unless somebody ruled on them."""


def named_prompt_files(given: Iterable[str], metrics: Collection[str]) -> dict[str, Path]:
    """Files of prompts from `[METRIC=]FILE`, by metric, or under the empty name for all.

    Raises UsageError for a metric that is none of `metrics`.
    """
    files: dict[str, Path] = {}
    for text in given:
        metric, mark, file = text.partition("=")
        if mark and metric not in metrics:
            raise UsageError(
                f"There is no metric {metric!r} to give a prompt.",
                choices(metric, metrics, "There are"),
                "--prompt-file",
            )
        files[metric if mark else ""] = Path(file if mark else text)
    return files


class Bundle(Struct, frozen=True):
    """Records by side, in the order of answers and metrics."""

    records: Mapping[str, tuple[JudgeRecord, ...]]
    """Every side, empty ones included."""
    prompts: JudgePrompts
    left_out: Mapping[str, int]
    """Labels that are not exported, by reason; `unfinished` counts answers."""
    answers: frozenset[str]
    """Numbers of the labelled answers, those left out included."""
    cells: frozenset[tuple[str, str]]
    """Topic and task of each."""

    @property
    def all(self) -> tuple[JudgeRecord, ...]:
        return tuple(record for side in SIDES for record in self.records[side])


def gather(
    workspace: Workspace, wanted: Wanted, name: Callable[[str], str], *, keep: bool = True
) -> Bundle:
    """The bundle of a workspace. Answers without a side get one now, and keep it unless `keep` is
    false: for looking ahead.

    `name` is how a rater is called. Raises InputError when nothing is labelled, NotFound for an
    unknown sample or run.
    """
    db = workspace.db
    inside = _sampled(workspace, wanted) if wanted.sample else None
    of_runs = {runs.get(db, run).id for run in wanted.runs}
    every = labelled_cases(db, form_key=wanted.form)
    cases = [
        case
        for case in every
        if (inside is None or case.name in inside) and (not of_runs or case.run_id in of_runs)
    ]
    if not cases:
        raise InputError(
            "No answer is completely labelled.",
            "Label some first, in a sample of answers.",
            f"ragdesk sample draw NAME --form {wanted.form} --run RUN --per-cell N",
        )
    placed = assign_sides(workspace, every, name=wanted.split, keep=keep)
    _check_scales(find_form(db, wanted.form), wanted)
    prompts = prompts_for(workspace.folder, wanted)
    provenance = standing.provenance(db, wanted.form)
    records: dict[str, list[JudgeRecord]] = {side: [] for side in SIDES}
    left_out: Counter[str] = Counter()
    for case in cases:
        left_out[IN_CONFLICT] += sum(metric in wanted.metrics for metric in case.conflicts)
        given = [metric for metric in wanted.metrics if metric in case.labels]
        labelled = [
            metric for metric in given if has_raters(case.labels[metric], wanted.min_raters)
        ]
        left_out[TOO_FEW_RATERS] += len(given) - len(labelled)
        side = placed[case.name].side
        if side is None:
            left_out[NEAR_DUPLICATE] += len(labelled)
            continue
        if side not in records:
            raise InputError(f"Split {wanted.split!r} has a side {side!r}; judge data has none.")
        made = records_of(
            case, side, labelled, provenance, _templates(prompts), name, soft=wanted.soft
        )
        left_out[NEVER_ASKED] += len(labelled) - len(made)
        records[side] += made
    left_out[UNFINISHED] = sum(
        (inside is None or name in inside)
        and (not of_runs or details.prediction(db, int(name)).run_id in of_runs)
        for name in standing.unfinished(db, wanted.form)
    )
    return Bundle(
        {side: tuple(rows) for side, rows in records.items()},
        prompts,
        {reason: count for reason, count in left_out.items() if count},
        frozenset(case.name for case in cases),
        frozenset((case.topic, case.task) for case in cases),
    )


def _check_scales(form: Form, wanted: Wanted) -> None:
    """Raises InputError for a field that has a shipped metric's name and other values, which its
    template would ask for wrongly."""
    for metric in wanted.metrics:
        values = [choice.value for choice in form.field(metric).choices]
        if metric in ASKED_METRICS and not wanted.prompt_files:
            asked = [int(value) for value in asked_spec(metric).values]
            if values != asked:
                raise InputError(
                    f"Field {metric!r} of form {form.key!r} has other values than the metric.",
                    "Give a prompt of its own.",
                    f"--prompt-file {metric}=FILE",
                )


def prompts_for(folder: Path, wanted: Wanted) -> JudgePrompts:
    """The templates to export with: the workspace's or shipped ones, or given files, as they ask
    for replies of the wanted form.

    Raises InputError, naming the file, for one that is no template of the metric.
    """
    whole_file = wanted.prompt_files.get("")
    texts: dict[str, str] = {}
    for metric in wanted.metrics:
        file = wanted.prompt_files.get(metric, whole_file)
        if file is None:
            texts |= judge_prompts(folder, wanted.prompts, (metric,), "item")
        else:
            text = _read(file)
            texts |= {f"{lang}/{wanted.prompts}/{metric}": text for lang in LANGS}
            _check(JudgePrompts(wanted.prompts, texts).find(metric, LANGS[0]), metric, file)
    return JudgePrompts(
        wanted.prompts, {place: _formed(place, text, wanted) for place, text in texts.items()}
    )


def _formed(place: str, text: str, wanted: Wanted) -> str:
    """The template in the wanted form; of one with a reason, also the form without is tried, for
    the labels that nobody commented on."""
    file = wanted.prompt_files.get(place.rpartition("/")[2], wanted.prompt_files.get(""))
    try:
        bare = template_for(text, wanted.reply, reason=False)
        return template_for(text, wanted.reply, reason=True) if wanted.rationale else bare
    except InputError as error:
        raise InputError(f"{file or f'Prompt {place}'}: {error.message}", error.remedy) from error


def _check(prompt: PromptText, metric: str, file: Path) -> None:
    try:
        check_slots(prompt, metric)
    except InputError as error:
        raise InputError(f"{file}: {error.message}", error.remedy) from error


def _read(file: Path) -> str:
    text = read_utf8(file)
    lines = text.splitlines()
    if "[system]" not in lines or "[user]" not in lines:
        raise InputError(
            f"{file} has no [system] and [user] part.",
            "Head each part with its name in brackets on a line of its own, [system] first.",
        )
    return text


def _templates(prompts: JudgePrompts) -> Callable[[str, Lang], Template]:
    from hashlib import sha256

    def find(metric: str, lang: Lang) -> Template:
        prompt: PromptText = prompts.find(metric, lang)
        return Template(f"{lang}/{prompt.id}", sha256(prompt.text.encode()).hexdigest())

    return find


def _sampled(workspace: Workspace, wanted: Wanted) -> Collection[str]:
    sample = samples.get(workspace.db, wanted.sample)
    if sample.form_key != wanted.form:
        raise InputError(
            f"Sample {sample.name!r} is of form {sample.form_key!r}.",
            f"These judge data are labels of form {wanted.form!r}: name one of it, or that form.",
            f"--form {sample.form_key}",
        )
    return {candidate.subject for candidate in samples.taken(workspace.db, sample)}


def state_hash(records: Sequence[JudgeRecord]) -> str:
    """Of the exported labels: equal where nothing that is exported has changed."""
    return content_hash(msgspec.to_builtins(records))
