"""The question of who labels from now on."""

from __future__ import annotations

from store.labels.samples import samples
from store.sharing.modes import is_shared
from tui.language import tr
from tui.screens.form import Form, Line
from tui.screens.place import PlaceScreen


def ask_rater(screen: PlaceScreen) -> None:
    """Asks for a name, then opens the app anew under it."""
    host = screen.host
    if is_shared(host.folder):
        host.advise("In a shared workspace a rater is called as the account.")
        return
    drawn = host.read(samples.listing) if host.facts.is_open else None
    names = list(dict.fromkeys(name for one in drawn or () for name in one.raters))
    others = [name for name in names if name != host.rater]

    host.question(
        Form(
            "Change rater",
            [Line("rater", "Name", next(iter(others), ""), "who labels", names)],
            "Go on as this rater",
            note=tr(
                "You are {rater}. Drafts and half-typed text of each rater stay.", rater=host.rater
            )
            + (tr(" Named in samples: {names}.", names=", ".join(names)) if names else ""),
            trouble=lambda values: "" if values["rater"] else tr("Name the rater."),
        ),
        lambda values: host.reopen_as(values["rater"]),
    )
