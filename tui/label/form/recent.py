"""What a rater said last, in a few words, so that a key that went wrong is seen after it."""

from __future__ import annotations

from engine.labelling.forms import value_keys
from engine.labelling.session import LabelSession
from engine.labelling.subject_state import SubjectState
from store.labels.forms import Field, Form, Value, same
from store.labels.log.events import Subject
from store.labels.samples import queue
from tui.label.form.lines import walked
from tui.language import tr
from tui.screens.labels import value_text

SHOWN = 3


class Recent:
    """The last subjects that a rater is done with, the latest first."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._said: dict[Subject, str] = {}

    def begin(self, session: LabelSession) -> None:
        """Reads what was said before the desk was opened."""
        form, rater = self._form.key, session.rater
        last = session.read(lambda db: queue.touched(db, form, rater, limit=SHOWN + 1))
        for subject, _ in reversed(last):
            self.note(session.state(subject))

    def note(self, state: SubjectState) -> None:
        """What is said of a subject now."""
        self._said.pop(state.subject, None)
        if text := judgement_text(state, self._form):
            self._said[state.subject] = text

    def texts(self, but: Subject | None) -> list[str]:
        """The last ones, without that of the open subject, which the form shows."""
        kept = [text for subject, text in reversed(self._said.items()) if subject != but]
        return kept[:SHOWN]


def judgement_text(state: SubjectState, form: Form) -> str:
    """`4 good`; of several fields the keys of their values, `2 2 0 - 1`. Empty for what is not
    done."""
    if state.excluded:
        return tr("excluded")
    fields = walked(form)
    if not state.is_done or not fields:
        return ""
    if len(fields) == 1:
        return value_text(fields[0], state.values.get(fields[0].key))
    return " ".join(_key(field, state.values.get(field.key)) for field in fields)


def _key(field: Field, value: Value | None) -> str:
    """The key of a value; a blank for a field that has none."""
    keys = value_keys(field).items()
    return next((key for key, one in keys if value is not None and same(one, value)), " ")
