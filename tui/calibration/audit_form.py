"""The question that audits a judge: by which answers, beside what, and limits."""

from __future__ import annotations

from collections.abc import Callable

from engine.calibration.audit.audit_job import ANSWERS, AuditJudge
from engine.judge.base import JudgeSpec
from engine.judge.registry import judges
from store.messages import plural
from store.runs import judge_scores
from tui.calibration.launch import run_option, runs_with_answers
from tui.calibration.queries import AuditFigures, AuditQuery
from tui.language import tr
from tui.live.facts import WorkFact
from tui.screens.form import Line, Pick, Values
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.judge_choice import judge_words, metrics_of, metrics_trouble, models_asked
from tui.screens.model_form import OFFLINE, ModelForm, ask_model, budget_of, calls_words

LABELLED = tr("whatever is labelled")
"""In the place of runs: all that hold labelled answers."""


class AuditForm(ModelForm[AuditFigures]):
    """Says what an audit takes while one chooses."""

    def __init__(
        self,
        host: Host,
        specs: dict[str, JudgeSpec | None],
        runs: list[WorkFact],
        chosen: str = "",
    ) -> None:
        """`specs` by the name of each judge, None for one that is not configured; the cursor is on
        the one called `chosen`."""
        super().__init__(
            tr("Audit a judge"),
            host,
            parts=(
                Pick(
                    "judge",
                    tr("Judge"),
                    [(name, _about(one)) for name, one in specs.items()],
                    chosen,
                ),
                Pick(
                    "runs",
                    tr("Answers of"),
                    [(LABELLED, tr("the runs that people have labelled")), *map(run_option, runs)],
                    most_lines=3,
                    many=True,
                ),
                Line(
                    "metrics",
                    tr("Metrics"),
                    hint=tr("all that the judge gives"),
                    follows=lambda values: " ".join(_metrics(specs[values["judge"]])),
                ),
                Line("answers", tr("Answers to change"), str(ANSWERS)),
                Line(
                    "against",
                    tr("Compare with"),
                    hint=tr("none; a judge, or NAME@HASH of an older one"),
                ),
                Line("prompts", tr("Other wordings"), hint=tr("none; folders with its templates")),
            ),
            estimate=lambda values: AuditQuery(operation(values)),
            words=audit_words,
            models_of=lambda values: _models(specs[values["judge"]]),
            trouble=lambda values: _trouble(values, specs[values["judge"]]),
        )


def _about(spec: JudgeSpec | None) -> str:
    return tr("not configured: agreement alone") if spec is None else judge_words(spec)


def _metrics(spec: JudgeSpec | None) -> tuple[str, ...]:
    return () if spec is None else spec.metrics


def _models(spec: JudgeSpec | None) -> tuple[str, ...]:
    """What is not configured cannot be asked."""
    return (OFFLINE,) if spec is None else models_asked(spec)


def _trouble(values: Values, spec: JudgeSpec | None) -> str:
    if not values["answers"].isdecimal():
        return tr("Answers to change are a whole number, such as {answers}.", answers=ANSWERS)
    return "" if spec is None else metrics_trouble(values, spec)


def operation(values: Values) -> AuditJudge:
    """The audit that is asked for, of values without trouble."""
    runs = values["runs"].splitlines()
    return AuditJudge(
        judge=values["judge"],
        runs=() if LABELLED in runs else tuple(runs),
        metrics=metrics_of(values),
        answers=int(values["answers"]),
        against=values["against"],
        prompts=tuple(values["prompts"].replace(",", " ").split()),
        budget=budget_of(values),
    )


def audit_words(figures: AuditFigures, model: str) -> list[str]:
    """What an audit takes, in sentences; what it costs comes last."""
    if not figures.answers:
        return [tr("It is measured against people's labels alone: nothing is asked.")]
    if not figures.values:
        return [tr("Nothing is left to ask: it was asked before.")]
    changed, values = plural(figures.answers, "answer"), plural(figures.values, "value")
    words = [tr("It changes {changed} and asks for {values}.", changed=changed, values=values)]
    if figures.at_least:
        words[0] += tr(" Further calls depend on replies, and are not counted.")
    if figures.embeds_at:
        words[0] += tr(" Vectors by {embeds_at} are not counted.", embeds_at=figures.embeds_at)
    asked = calls_words(figures, model) if figures.calls else [tr("No model is asked for a reply.")]
    return [*words, *asked]


def open_audit(host: Host, chosen: str, done: Callable[[str], None]) -> None:
    """Asks, with the judge called `chosen` under the cursor, then has the audit queued; `done` gets
    the judge's name."""

    def make() -> AuditForm:
        configured = judges(host.folder)
        stored = host.read(judge_scores.names) or []
        specs = {name: configured.get(name) for name in dict.fromkeys([*configured, *stored])}
        return AuditForm(host, specs, runs_with_answers(host), chosen)

    def decided(values: Values) -> None:
        judge = values["judge"]
        what = tr("the audit of {judge}", judge=judge)
        queue_job(host, what, operation(values), lambda _: done(judge))

    ask_model(host, make, decided)
