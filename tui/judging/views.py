"""Which view shows a kind of subject."""

from __future__ import annotations

from store.forms import SubjectKind
from tui.judging.subject_view import SubjectView


def view_of(kind: SubjectKind) -> type[SubjectView]:
    """The view for subjects of that kind; imported when the first of them is shown."""
    match kind:
        case "revision":
            from tui.judging.revision_view import RevisionView

            return RevisionView
        case "prediction":
            from tui.judging.answer_view import AnswerView

            return AnswerView
        case "pair":
            from tui.judging.pair_view import PairView

            return PairView
