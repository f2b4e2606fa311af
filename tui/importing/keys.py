"""What imports, in every place."""

from __future__ import annotations

from tui.shell.actions import Action, Place, asked

ACTIONS: tuple[Action, ...] = (
    asked(
        "tui.importing.sample:ask_sample_corpus",
        "sample corpus",
        "Bring in the sample (demo) with three systems evaluated over it, to look around.",
    ),
    asked(
        "tui.importing.form:ask_import",
        "import",
        "Bring in a benchmark (BEIR, OmniEval, CRUD-RAG), questions, predictions, scores, labels.",
    ),
)

PLACES: tuple[Place, ...] = ()
