"""The rows and the details of runs and jobs."""

from __future__ import annotations

from collections.abc import Sequence

from store.jobs.jobs import JobEvent
from tui.language import read, tr
from tui.live.facts import WorkFact
from tui.live.labels import moment_text, state_role, state_text, system_text
from tui.widgets.bars import about_text, bar_text, rate_text
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, Row
from tui.widgets.sheet import Block, Lay, lay_blocks

BAR = 10

COLUMNS = (
    Column("state", 20),
    Column("run or job", minimum=18),
    Column("system", 22, drop=3),
    Column("dataset", 14, drop=4),
    Column("progress", BAR, drop=2),
    Column("done", 15, "right"),
    Column("rate, left", 16, drop=1),
)


def work_row(fact: WorkFact) -> Row:
    """Returns one row; values that change during the work are on the right."""
    done, total = fact.counts
    return Row(
        fact.key,
        (
            Cell(state_text(fact), state_role(fact)),
            Cell(fact.title, "strong"),
            system_text(fact),
            fact.release,
            Cell("" if total is None else bar_text(done, total, BAR), "bar"),
            f"{done:,}" * bool(done) if total is None else f"{done:,}/{total:,}",
            Cell(_pace(fact), "muted"),
        ),
    )


def _pace(fact: WorkFact) -> str:
    if fact.status != "running" or fact.per_second <= 0:
        return ""
    done, total = fact.counts
    left = total - done if total is not None else 0
    rate = rate_text(fact.per_second)
    return (
        tr("{rate}  {time} left", rate=rate, time=about_text(left / fact.per_second))
        if left
        else rate
    )


def details(fact: WorkFact, events: Sequence[JobEvent]) -> Lay:
    """What is known of the work: its trouble first, then what it is, then what happened."""
    blocks = [*_trouble(fact), *_what(fact), *_counts(fact), *_times(fact)]
    happened = [
        Block(moment_text(event.at), f"{tr(event.kind)}: {read(event.text)}") for event in events
    ]

    def lay(width: int) -> list[list[Piece]]:
        lines = lay_blocks(blocks, width)
        if happened:
            lines += [[], *lay_blocks(happened, width)]
        return lines

    return lay


def _trouble(fact: WorkFact) -> list[Block]:
    job = fact.job
    if fact.status == "interrupted":
        text = tr("Its worker has ended; nothing that was done is lost. z resumes it.")
        return [Block("state", text, "warn", "warn")]
    if fact.status == "no worker":
        return [
            Block("state", tr("It waits for a worker, but none is running. z starts one."), "warn")
        ]
    if fact.failed:
        return [Block("state", tr("{lack}; z tries these again.", lack=fact.lack), "warn", "warn")]
    if fact.lack:
        text = tr(
            "{lack} of the {total:,} wanted. F3 Build says why, cell by cell.",
            lack=fact.lack,
            total=fact.total,
        )
        return [Block("state", text, "warn", "warn")]
    if job is None or not job.error:
        return []
    blocks = [Block("error", read(job.error), "bad", "bad")]
    return [*blocks, Block("what to do", read(job.remedy))] if job.remedy else blocks


def _what(fact: WorkFact) -> list[Block]:
    if fact.run is None:
        return [Block("job", fact.title)]
    system, settings = fact.run.system, fact.run.settings
    about = read(system.description)
    blocks = [
        Block("run", f"{fact.run.id}  {fact.run.name}"),
        Block("system", f"{system_text(fact)}: {about}" if about else system_text(fact)),
        Block(
            "how",
            tr(
                "retriever {retriever}, generator {generator}, top-k {top_k}, history {history}",
                retriever=system.retriever or tr("none"),
                generator=system.generator,
                top_k=system.top_k,
                history=system.history,
            ),
        ),
        Block("dataset", fact.release),
        Block(
            "order",
            tr("seed {seed}, repeats {repeats}", seed=settings.seed, repeats=settings.repeats),
        ),
    ]
    if fact.job is not None and fact.job.kind == "run" and fact.job.params.get("judge"):
        blocks.append(
            Block(
                "judged by",
                tr("{judge}, after the answers", judge=fact.job.params["judge"]["judge"]),
            )
        )
    if settings.imported_from:
        blocks.append(Block("from", settings.imported_from))
    return blocks


def _counts(fact: WorkFact) -> list[Block]:
    if fact.run is None:
        return []
    progress = fact.progress
    parts = (
        (tr("{number:,} scored", number=progress.scored), progress.scored),
        (tr("{number:,} ok", number=progress.ok), progress.ok),
        (tr("{count:,} refused", count=progress.refused), progress.refused),
        (tr("{number:,} failed", number=progress.failed), progress.failed),
        (tr("{number:,} pending", number=progress.pending), progress.pending),
    )
    return [Block("answers", ", ".join(text for text, count in parts if count))]


def _times(fact: WorkFact) -> list[Block]:
    job = fact.job
    if job is None:
        return []
    times = [tr("made {time}", time=moment_text(job.created_at))]
    if job.started_at:
        times.append(tr("began {time}", time=moment_text(job.started_at)))
    if job.finished_at:
        times.append(tr("ended {time}", time=moment_text(job.finished_at)))
    text = ", ".join(times)
    return [Block("job", f"{job.id}  {text}")]
