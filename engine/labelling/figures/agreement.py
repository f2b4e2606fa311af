"""The agreement of a form's raters, computed from the labels in the store."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from msgspec import structs

from engine.labelling.figures.agreement_figures import agreement, rater_names, self_consistency
from engine.labelling.figures.agreement_records import Agreement, By, RaterAgreement
from engine.labelling.forms import find_form
from engine.statistics.agreement.intervals import RESAMPLES
from store.errors import NotFound, UsageError
from store.labels import consensus, standing
from store.labels.forms import Form
from store.labels.log.events import Origin
from store.messages import choices


def rater_agreement(
    db: sqlite3.Connection,
    form_key: str,
    *,
    sample: str | None = None,
    by: By = "metric",
    field: str = "",
    raters: Sequence[str] = (),
    keep_empty: bool = False,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> RaterAgreement:
    """The agreement of `raters`, of all if empty, in a sample or in all labels of a form.

    With `field`, of that field alone (`pooled` and `verdict` are fields too), which takes less
    time where `by` makes many groups. `keep_empty` keeps rows that no subject is behind. Raises
    NotFound for an unknown form, sample or rater, UsageError for a single rater or one named twice.
    """
    form = find_form(db, form_key)
    rated = standing.rated(db, form, sample=sample)
    known = rater_names(rated)
    _check_raters(form, raters, known)
    names = tuple(raters) or known
    fields = tuple(known_field for known_field in form.fields if known_field.key == field)
    chosen = structs.replace(form, fields=fields) if fields else form
    kept = [label for label in rated if label.field == field] if fields else rated
    raters_of: defaultdict[str, set[str]] = defaultdict(set)
    for label in rated:
        raters_of[label.subject.base].add(label.rater)
    rows = agreement(kept, chosen, by=by, raters=names, seed=seed, resamples=resamples)
    again = self_consistency(kept, chosen, seed=seed, resamples=resamples)

    def is_wanted(row: Agreement) -> bool:
        return (row.n > 0 or keep_empty) and field in ("", row.field)

    def given(origin: Origin) -> int:
        return len({(label.subject, label.rater) for label in rated if label.origin == origin})

    return RaterAgreement(
        raters=names,
        rows=tuple(filter(is_wanted, rows)),
        again=tuple(row for row in again if is_wanted(row) and (not raters or row.group in raters)),
        after_reveal=given("human_after_reveal"),
        with_aids=given("human_with_aids"),
        subjects=len(raters_of),
        shared=sum(len(on_subject) > 1 for on_subject in raters_of.values()),
        conflicts=sum(
            conflict.subject.base in raters_of for conflict in consensus.conflicts(db, form)
        ),
    )


def _check_raters(form: Form, raters: Sequence[str], known: Sequence[str]) -> None:
    for name in raters:
        if name not in known:
            raise NotFound(
                f"{name} has no complete labels of form {form.key!r} here.",
                choices(name, known, "These have", none="nobody yet"),
            )
    if len(set(raters)) != len(raters) or len(raters) == 1:
        raise UsageError("Agreement is between two raters or more, each named once.")
