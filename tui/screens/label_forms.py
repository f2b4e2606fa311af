"""The forms that people label with, as screens read them."""

from __future__ import annotations

from engine.labelling.forms import find_form, load_form, shipped_forms
from store.labels import forms
from store.labels.forms import Form
from tui.screens.host import Host


def read_form(host: Host, key: str) -> Form:
    """The form of that key; where its file cannot be read, which is said, the version that was used
    last."""
    if key in shipped_forms():
        return load_form(key)
    form = host.read(lambda db: find_form(db, key))
    if form is None:
        form = host.read(lambda db: forms.latest(db, key).form)
    assert form is not None, "whatever was drawn or labelled has a stored version"
    return form
