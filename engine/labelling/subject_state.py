"""A subject as it stands for one rater: its values and warnings, and what the rater may see."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from engine.labelling.forms import warnings_for
from store.labels.forms import Form, SoftWarning, Value, is_complete
from store.labels.log.events import Label, Subject, values_of
from store.labels.log.reading import Sampled
from store.labels.samples import known
from store.labels.samples.known import KnownAnswer

KNOWN_ANSWER = "known answer"
"""What a rater looks at who is told the answer of a training question, as the log has it."""


class SubjectState(Struct, frozen=True):
    """A subject with the labels of one rater."""

    subject: Subject
    values: dict[str, Value]
    not_applicable: frozenset[str]
    is_complete: bool
    """Whether every required field has a value, so that a screen may go on."""
    warnings: tuple[SoftWarning, ...]
    comment: str = ""
    notes: Mapping[str, str] = MappingProxyType({})
    """Comments on single fields."""
    is_flagged: bool = False
    is_postponed: bool = False
    excluded: str = ""
    """The reason; empty when it is not excluded."""
    is_revealed: bool = False
    """Whether the rater has looked at what the form hides."""
    has_aids: bool = False
    """Whether the sample lets raters see the comparison with the golden answer before they label
    it."""
    told: KnownAnswer | None = None
    """The known answer of a training question, once the rater has answered it."""

    @property
    def is_done(self) -> bool:
        return self.is_complete or bool(self.excluded)

    @property
    def may_compare(self) -> bool:
        """Whether the comparison with the golden answer may be shown: where the sample allows it,
        else once the rater has labelled the subject and asked for what is hidden."""
        return self.has_aids or (self.is_done and self.is_revealed)


def state_of(
    db: sqlite3.Connection, form: Form, subject: Subject, labels: Sequence[Label], sampled: Sampled
) -> SubjectState:
    """What the labels of one rater amount to. The known answer is read where the log has that the
    rater was told it."""
    values = values_of(labels)
    not_applicable, has_aids = sampled
    whole = {label.aspect: label.value for label in labels if not label.field}
    is_told = whole.get("reveal") == KNOWN_ANSWER
    return SubjectState(
        subject,
        values,
        not_applicable,
        is_complete(form, values, not_applicable),
        warnings_for(form, values),
        comment=str(whole.get("comment", "")),
        notes={
            label.field: str(label.value)
            for label in labels
            if label.field and label.aspect == "comment"
        },
        is_flagged="flag" in whole,
        is_postponed="postpone" in whole,
        excluded=str(whole.get("exclude", "")),
        is_revealed="reveal" in whole,
        has_aids=has_aids,
        told=known.of_subject(db, form.key, subject) if is_told else None,
    )
