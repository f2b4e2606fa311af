"""Soft warnings: values that contradict each other are pointed out, never refused."""

from __future__ import annotations

from collections.abc import Mapping

from store.labels.forms import Form, SoftWarning, Value, holds


def warnings_for(form: Form, values: Mapping[str, Value]) -> tuple[SoftWarning, ...]:
    """The warnings whose conditions all hold, in the form's order."""
    given = dict(values)
    return tuple(
        warning
        for warning in form.warnings
        if all(holds(condition, given) for condition in warning.when)
    )
