"""The titles of jobs, which the engine makes of names, in the language of the interface."""

from __future__ import annotations

from tui.language import language, later, read, tr

JOINTS = (later(" by "), later(" on "), later(" into "))
RULE = later("rule")
"""By what questions are evolved where no model is named."""


def job_title(title: str) -> str:
    """Returns a job's title: `bm25 on sample@1`, `3 files into bank`, `audit of rules`."""
    said = read(title)
    if language() == "en" or said != title:
        return said
    for joint in JOINTS:
        first, found, second = title.partition(joint)
        if found:
            return f"{read(first)}{tr(joint)}{tr(second) if second == RULE else second}"
    return title
