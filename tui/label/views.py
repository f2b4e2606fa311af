"""Which view shows a kind of subject."""

from __future__ import annotations

from store.labels.forms import SubjectKind
from tui.label.subject_view import SubjectView


def view_of(kind: SubjectKind) -> type[SubjectView]:
    """The view for subjects of that kind; imported when the first of them is shown."""
    match kind:
        case "revision":
            from tui.label.revision_view import RevisionView

            return RevisionView
        case "prediction":
            from tui.label.answer_view import AnswerView

            return AnswerView
        case "pair":
            from tui.label.pair_view import PairView

            return PairView
