"""How far the raters of a form agree, read from the store."""

from __future__ import annotations

import sqlite3
from collections import defaultdict

from msgspec import structs

from engine.labelling.agreement_figures import agreement, rater_names, self_consistency
from engine.labelling.agreement_records import By, RaterAgreement
from engine.labelling.forms import load_form
from engine.statistics.agreement.intervals import RESAMPLES
from store.labels import agreement as label_agreement
from store.labels import consensus


def rater_agreement(
    db: sqlite3.Connection,
    form_key: str,
    *,
    sample: str | None = None,
    by: By = "metric",
    field: str = "",
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> RaterAgreement:
    """Everything that raters of a form agree on, of a sample or of all labels.

    With `field`, of that field alone (`pooled` and `verdict` are fields too), which takes less
    time where `by` makes many groups. Raises NotFound for an unknown form or sample.
    """
    form = load_form(form_key)
    rated = label_agreement.rated(db, form, sample=sample)
    chosen = form
    if field and field in {one.key for one in form.fields}:
        wanted = tuple(one for one in form.fields if one.key == field)
        chosen = structs.replace(form, fields=wanted)
        kept = [one for one in rated if one.field == field]
    else:
        kept = rated
    names = rater_names(rated)
    raters_of: defaultdict[str, set[str]] = defaultdict(set)
    for one in rated:
        raters_of[one.subject.base].add(one.rater)
    rows = agreement(kept, chosen, by=by, raters=names, seed=seed, resamples=resamples)
    return RaterAgreement(
        raters=names,
        rows=tuple(one for one in rows if one.n and field in ("", one.field)),
        again=tuple(
            one
            for one in self_consistency(kept, chosen, seed=seed, resamples=resamples)
            if one.n and field in ("", one.field)
        ),
        after_reveal=len(
            {(one.subject, one.rater) for one in rated if one.origin == "human_after_reveal"}
        ),
        subjects=len(raters_of),
        shared=sum(len(said) > 1 for said in raters_of.values()),
        conflicts=sum(one.subject.base in raters_of for one in consensus.conflicts(db, form)),
    )
