"""The keys of the Settings screen."""

from __future__ import annotations

from tui.shell.actions import Action, Place, act, asked

ACTIONS: tuple[Action, ...] = (
    act(
        "settings.add",
        "+",
        "add",
        "A new one, such as a system; or a copy of the one under the cursor.",
        sense="new",
        in_footer=True,
    ),
    act(
        "settings.axes",
        "b",
        "kind",
        "Systems, judges, embeddings, rerankers or providers.",
        in_footer=True,
    ),
    act(
        "settings.test",
        "ctrl+r",
        "test",
        "Ask a provider, or a system of one's own, one small question.",
        sense="recompute",
        in_footer=True,
    ),
    act(
        "settings.remove",
        "X",
        "remove",
        "Remove the table from ragdesk.toml; runs keep what they began with.",
        sense="cancel",
        in_footer=True,
        is_destructive=True,
    ),
    asked(
        "tui.settings.asking:ask_new_system",
        "new system",
        "Describe a system of retrieval and answers, or one of your own, by a form.",
    ),
    asked(
        "tui.settings.asking:ask_new_judge",
        "new judge",
        "Describe a judge of answers by a form: a model, a jury, a function.",
    ),
    asked(
        "tui.settings.asking:ask_new_provider",
        "new provider",
        "Name a language model behind an endpoint (LLM, API key) by a form.",
    ),
)

PLACES: tuple[Place, ...] = (Place("settings", "Settings", 0, ("rows", "sheet")),)
