"""Which view shows a kind of subject."""

from __future__ import annotations

from store.forms import SubjectKind
from tui.judging.answer_view import AnswerView
from tui.judging.pair_view import PairView
from tui.judging.revision_view import RevisionView
from tui.judging.subject_view import SubjectView

_VIEWS: dict[SubjectKind, type[SubjectView]] = {
    "revision": RevisionView,
    "prediction": AnswerView,
    "pair": PairView,
}


def view_of(kind: SubjectKind) -> type[SubjectView]:
    """The view for subjects of that kind."""
    return _VIEWS[kind]
