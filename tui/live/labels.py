"""The texts for runs and jobs: state, system, time, status line."""

from __future__ import annotations

from datetime import datetime

from store.labels.news import MESSAGE, News
from tui.language import language, tr
from tui.live.facts import Facts, WorkFact
from tui.shell.theme import SIGNS

_SIGNS = {"done": SIGNS.good, "failed": SIGNS.bad, "interrupted": "!", "no worker": "!"}
_PAUSED = "paused: "
_ROLES = {
    "done": "good",
    "failed": "bad",
    "interrupted": "warn",
    "no worker": "warn",
    "running": "strong",
}


def state_role(fact: WorkFact) -> str:
    return "warn" if _wants_attention(fact) else _ROLES.get(fact.status, "muted")


def state_text(fact: WorkFact) -> str:
    """Returns the state and what is lacking, with a sign before it if it needs attention."""
    if _wants_attention(fact):
        return ", ".join(filter(None, (f"! {status_text(fact.status)}", fact.lack)))
    return f"{_SIGNS.get(fact.status, ' ')} {tr(fact.phase) or status_text(fact.status)}"


def status_text(status: str) -> str:
    """Returns the name of a status, such as `done` or `paused: budget`."""
    if status.startswith(_PAUSED):
        return tr("paused: {kind}", kind=status.removeprefix(_PAUSED))
    return tr(status)


def _wants_attention(fact: WorkFact) -> bool:
    """Whether it lacks something, or was paused by trouble."""
    return bool(fact.lack) or fact.status.startswith(_PAUSED)


def system_text(fact: WorkFact) -> str:
    """The system's name, called a baseline where it is one."""
    if fact.run is None:
        return ""
    name = fact.run.system.name
    return tr("{name} (baseline)", name=name) if fact.run.system.baseline else name


def moment_text(at: str) -> str:
    """Formats a stored time in local time: `16:31` today, else `20 Nov 16:31`."""
    moment = datetime.fromisoformat(at).astimezone()
    is_today = moment.date() == datetime.now().astimezone().date()
    if is_today:
        return f"{moment:%H:%M}"
    return f"{moment:%m-%d %H:%M}" if language() == "zh" else f"{moment:%d %b %H:%M}"


def status_line(facts: Facts) -> str:
    """Summarises the jobs, such as `2 jobs running ∙ 1 failed`; empty without any."""
    counts = {"running": 0, "queued": 0, "interrupted": 0, "failed": 0}
    for fact in facts.work:
        status = {"pausing": "running", "cancelling": "running", "no worker": "interrupted"}.get(
            fact.status, fact.status
        )
        if status in counts:
            counts[status] += 1
    parts = [f"{count} {tr(status)}" for status, count in counts.items() if count]
    return f" {SIGNS.separator} ".join(parts)


def news_text(news: News) -> str:
    """Returns a message with who wrote it and when, or that a guideline is new."""
    if news.what == MESSAGE:
        return f"{news.author}, {moment_text(news.at)}: {news.text}"
    if news.version == 1:
        return tr("The guideline of {form} is new; G at its desk shows it.", form=news.what)
    return tr(
        "The guideline of {form} is new (version {version}); G at its desk shows it.",
        form=news.what,
        version=news.version,
    )
