"""The six questions of AutoEvolve on items, as the share of yes by dataset and group of raters."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from engine.labelling.forms.definitions import load_form
from store.datasets import datasets
from store.errors import InputError, NotFound, UsageError
from store.labels import statistics
from store.labels.forms import NA
from store.messages import choices

FORM = "six_questions"


class Share(Struct, frozen=True):
    """How often a group of raters said yes."""

    yes: int
    n: int
    """Labels that say yes or no; what does not apply is left out."""


class QualityTable(Struct, frozen=True):
    """AutoEvolve's table 5 in shape."""

    questions: tuple[str, ...]
    groups: tuple[str, ...]
    datasets: tuple[str, ...]
    shares: dict[str, dict[str, dict[str, Share]]]
    """By question, dataset and group; nothing where nobody of the group answered."""


def quality_table(
    db: sqlite3.Connection, groups: Mapping[str, Sequence[str]] | None = None
) -> QualityTable:
    """The table of all labels of the form; without `groups` each rater is one.

    Raises InputError where nobody has labelled, NotFound for a rater of a group who has not, and
    UsageError for one who is in two groups.
    """
    values = statistics.values(db, FORM)
    raters = sorted({rater for _, rater in values})
    if not raters:
        raise InputError(
            "Nobody has answered the six questions yet.",
            f"Draw a sample of form {FORM}.",
            f"ragdesk sample draw NAME --form {FORM}",
        )
    named = groups or {rater: (rater,) for rater in raters}
    group_of: dict[str, str] = {}
    for group, members in named.items():
        for rater in members:
            if rater not in raters:
                raise NotFound(
                    f"Rater {rater!r} has not answered the six questions.",
                    choices(rater, raters, "Raters"),
                )
            if rater in group_of:
                raise UsageError(
                    f"Rater {rater!r} is in the groups {group_of[rater]!r} and {group!r}.",
                    "Name each rater once.",
                )
            group_of[rater] = group
    of_revision = datasets.names_by_revision(db)
    counts: defaultdict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for (subject, rater), answers in values.items():
        # a hidden repeat has its number behind a mark, and counts for consistency alone
        if rater not in group_of or not subject.isdecimal():
            continue
        for question, value in answers.items():
            if value != NA:
                key = (question, of_revision[int(subject)], group_of[rater])
                counts[key].append(value == 1)
    questions = tuple(field.key for field in load_form(FORM).fields)
    held = tuple(sorted({dataset for _, dataset, _ in counts}))
    shares: dict[str, dict[str, dict[str, Share]]] = {}
    for (question, dataset, group), said in counts.items():
        by_dataset = shares.setdefault(question, {}).setdefault(dataset, {})
        by_dataset[group] = Share(sum(said), len(said))
    asked = tuple(question for question in questions if question in shares)
    return QualityTable(asked, tuple(named), held, shares)
