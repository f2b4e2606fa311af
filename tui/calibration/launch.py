"""The question that lets a judge score runs: which judge, which runs, what of it, and limits."""

from __future__ import annotations

from engine.jobs.operation import Budget
from engine.judge.base import JudgeSpec
from engine.judge.judge_job import JudgeRun
from engine.judge.registry import judges
from engine.judge.trust import family_text
from store.jobs.jobs import Job
from store.messages import plural
from store.systems import NO_ANSWERS
from tui.calibration.queries import JudgingFigures, JudgingQuery
from tui.language import language, tr
from tui.live.facts import WorkFact
from tui.screens.destinations import AtWork
from tui.screens.form import Line, Pick, Values
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.judge_choice import judge_words, metrics_of, metrics_trouble, models_asked
from tui.screens.model_form import ModelForm, ask_model, budget_of, calls_words

NO_RUN = tr("There is no run with answers to judge. F5 Runs, then + starts one.")


class JudgingForm(ModelForm[JudgingFigures]):
    """Says what judging takes while one chooses."""

    def __init__(
        self, host: Host, specs: dict[str, JudgeSpec], runs: list[WorkFact], chosen: str = ""
    ) -> None:
        """`runs` are listed in this order, with the cursor on the one called `chosen`."""
        super().__init__(
            tr("Judge answers"),
            host,
            parts=(
                Pick(
                    "judge", tr("Judge"), [(name, judge_words(one)) for name, one in specs.items()]
                ),
                Pick("runs", tr("Runs"), [run_option(fact) for fact in runs], chosen, many=True),
                Line(
                    "metrics",
                    tr("Metrics"),
                    hint=tr("all that the judge gives"),
                    follows=lambda values: " ".join(specs[values["judge"]].metrics),
                ),
            ),
            estimate=lambda values: JudgingQuery(
                tuple(values["runs"].splitlines()), values["judge"], metrics_of(values)
            ),
            words=judging_words,
            models_of=lambda values: models_asked(specs[values["judge"]]),
            trouble=lambda values: metrics_trouble(values, specs[values["judge"]]),
        )


def run_option(fact: WorkFact) -> tuple[str, str]:
    return fact.title, tr(
        "{answers} to {release}",
        answers=plural(fact.progress.finished, "answer"),
        release=fact.release,
    )


def judging_words(figures: JudgingFigures, model: str) -> list[str]:
    """What judging takes, in sentences; what it costs comes last."""
    if not figures.scores:
        return [tr("Nothing is left to judge: every answer has these scores.")]
    answers, scores = plural(figures.answers, "answer"), plural(figures.scores, "score")
    if figures.answers == 1:
        words = [tr("{answers} lacks {scores}.", answers=answers, scores=scores)]
    else:
        words = [tr("{answers} lack {scores}.", answers=answers, scores=scores)]
    if figures.same_family:
        words.append(
            tr("Note: {family_text}.", family_text=family_text(figures.same_family, language()))
        )
    if figures.at_least:
        words[0] += tr(" Further calls depend on replies, and are not counted.")
    if figures.embeds_at:
        words[0] += tr(" Vectors by {embeds_at} are not counted.", embeds_at=figures.embeds_at)
    if figures.runs > 1:
        words.append(tr("{runs} jobs; limits are of each.", runs=figures.runs))
    return [
        *words,
        *(calls_words(figures, model) if figures.calls else [tr("No model is asked for a reply.")]),
    ]


def runs_with_answers(host: Host) -> list[WorkFact]:
    """The runs that judges can score, newest first."""
    return [
        fact
        for fact in host.facts.work
        if fact.run is not None and fact.run.system.generator != NO_ANSWERS
    ]


def open_judging(host: Host, chosen: str = "") -> None:
    """Asks, then has a job queued for each run, and shows the last of them on Runs."""
    runs = runs_with_answers(host)
    if not runs:
        host.advise(NO_RUN)
        return

    def decided(values: Values) -> None:
        names = values["runs"].splitlines()
        _queue(host, names, values["judge"], metrics_of(values), budget_of(values))

    ask_model(host, lambda: JudgingForm(host, judges(host.folder), runs, chosen), decided)


def _queue(
    host: Host, names: list[str], judge: str, metrics: tuple[str, ...], budget: Budget
) -> None:
    """Queues one after the other, so that the first that is refused is the last that is tried."""
    first, *others = names

    async def queued(job: Job) -> None:
        await host.open(AtWork(tr("job {id}", id=job.id)))
        if others:
            _queue(host, others, judge, metrics, budget)

    queue_job(
        host,
        tr("{judge} on {first}", judge=judge, first=first),
        JudgeRun(first, judge, metrics, budget=budget),
        queued,
    )
