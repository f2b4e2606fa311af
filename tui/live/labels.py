"""The texts for runs and jobs: state, system, time, status line."""

from __future__ import annotations

from datetime import datetime

from store.labels.news import MESSAGE, News
from tui.live.facts import Facts, WorkFact
from tui.shell.theme import SIGNS

_SIGNS = {"done": SIGNS.good, "failed": SIGNS.bad, "interrupted": "!", "no worker": "!"}
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
        return ", ".join(filter(None, (f"! {fact.status}", fact.lack)))
    return f"{_SIGNS.get(fact.status, ' ')} {fact.phase or fact.status}"


def _wants_attention(fact: WorkFact) -> bool:
    """Whether it lacks something, or was paused by trouble."""
    return bool(fact.lack) or fact.status.startswith("paused:")


def system_text(fact: WorkFact) -> str:
    """The system's name, called a baseline where it is one."""
    if fact.run is None:
        return ""
    return (
        f"{fact.run.system.name} (baseline)" if fact.run.system.baseline else fact.run.system.name
    )


def moment_text(at: str) -> str:
    """Formats a stored time in local time: `16:31` today, else `20 Nov 16:31`."""
    moment = datetime.fromisoformat(at).astimezone()
    is_today = moment.date() == datetime.now().astimezone().date()
    return f"{moment:%H:%M}" if is_today else f"{moment:%d %b %H:%M}"


def status_line(facts: Facts) -> str:
    """Summarises the jobs, such as `2 jobs running ∙ 1 failed`; empty without any."""
    counts = {"running": 0, "queued": 0, "interrupted": 0, "failed": 0}
    for fact in facts.work:
        status = {"pausing": "running", "cancelling": "running", "no worker": "interrupted"}.get(
            fact.status, fact.status
        )
        if status in counts:
            counts[status] += 1
    parts = [f"{count} {status}" for status, count in counts.items() if count]
    return f" {SIGNS.separator} ".join(parts)


def news_text(news: News) -> str:
    """Returns a message with who wrote it and when, or that a guideline is new."""
    if news.what == MESSAGE:
        return f"{news.author}, {moment_text(news.at)}: {news.text}"
    version = f" (version {news.version})" if news.version > 1 else ""
    return f"The guideline of {news.what} is new{version}; G at its desk shows it."
