"""The registry of actions: one key, one meaning; footer, help and palette from one source."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Input

from tui.keymap import PLACES, REGISTRY
from tui.shell.actions import EVERYWHERE, Place, act, bindings, key_text
from tui.shell.clashes import clashes
from tui.shell.key_events import normalised
from tui.shell.registry import Registry
from tui.shell.signs import OF_PARTS
from tui.widgets.marks import SIGNS_OF_KINDS

ACTIONS = tuple(action for action in REGISTRY.actions if not action.id.startswith("go."))


def test_the_key_map_has_no_clash() -> None:
    assert clashes(REGISTRY) == []


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        (act("home.mend", "m", "mend", "Mend."), "key m has more than one meaning"),
        (act("home.two", "2", "two", "Two."), "key 2 belongs to values"),
        (act("home.copy", "ctrl+c", "copy", "Copy."), "key ctrl+c belongs to the terminal"),
        (act("home.send", "ctrl+enter", "send", "Send."), "many terminals cannot send"),
        (act("home.none", "", "none", "None."), "home.none has no key"),
        (act("runs.new", "w", "new", "New."), "action id runs.new is used twice"),
        (
            act("home.delete", "backspace", "delete", "Delete.", is_destructive=True),
            "nothing destructive may be on backspace",
        ),
    ],
)
def test_a_clash_is_named(action: object, complaint: str) -> None:
    found = clashes(Registry((*ACTIONS, action), PLACES))  # type: ignore[arg-type]
    assert any(complaint in problem for problem in found), found


def test_a_value_may_be_on_a_digit() -> None:
    value = act("home.four", "4", "good", "Good.", sense="value")
    assert clashes(Registry((*ACTIONS, value), PLACES)) == []


def test_a_footer_has_the_most_useful_first_then_all_else_but_values_and_movement() -> None:
    ids = [action.id for action in REGISTRY.footer("build")]
    assert ids[:4] == ["widget.open", "build.generate", "build.choose_plan", "build.leave_out"]
    assert {"build.undo", "everywhere.copy", "go.home"} <= set(ids)
    assert not {"build.target", "everywhere.help", "move.down"} & set(ids)


def test_a_footer_can_begin_with_other_actions() -> None:
    ids = [action.id for action in REGISTRY.footer("label", ("desk.new_sample", "label.sample"))]
    assert ids[:2] == ["desk.new_sample", "label.sample"]
    assert len(ids) == len(REGISTRY.footer("label"))


def test_only_the_places_that_exist_can_be_gone_to() -> None:
    going = [action for action in REGISTRY.actions if action.id.startswith("go.")]
    assert [(action.keys, action.action) for action in going] == [
        (("f1",), "app.go('home')"),
        (("f2",), "app.go('corpus')"),
        (("f3",), "app.go('build')"),
        (("f4",), "app.go('inspect')"),
        (("f5",), "app.go('runs')"),
        (("f6",), "app.go('results')"),
        (("f7",), "app.go('label')"),
        (("f8",), "app.go('agreement')"),
        (("f9",), "app.go('export')"),
    ]


def test_every_action_of_a_place_is_in_its_help() -> None:
    for place in PLACES:
        sections = [one for one in REGISTRY.help(place.key) if one.title != "Signs"]
        listed = [line.label for section in sections for line in section.lines]
        for added in ("value", "next part"):
            if added in listed:
                listed.remove(added)
        assert sorted(listed) == sorted(action.label for action in REGISTRY.at(place.key))


@pytest.mark.parametrize("place", [place for place in PLACES if place.parts])
def test_the_help_explains_every_sign_of_the_widgets_of_a_place(place: Place) -> None:
    legend = next(one for one in REGISTRY.help(place.key) if one.title == "Signs")
    explained = " ".join(line.keys for line in legend.lines)
    if "passage" in place.parts:
        drawn = set(SIGNS_OF_KINDS.values()) - {"!", "["}
        assert all(sign in explained for sign in drawn)
    assert all(sign.shown in explained for part in place.parts for sign in OF_PARTS.get(part, ()))
    assert all(line.help for line in legend.lines)


def test_the_help_of_a_desk_begins_with_its_values_and_ten_digits_are_written_short() -> None:
    first = REGISTRY.help("inspect")[0].lines[0]
    assert (first.keys, first.label) == ("0-9 -", "value")
    targets = next(line for line in REGISTRY.help("build")[0].lines if line.label == "target")
    assert targets.keys == "0-9"


def test_the_help_of_a_place_leaves_out_the_keys_of_others() -> None:
    labels = {line.label for section in REGISTRY.help("runs") for line in section.lines}
    assert "pause/resume" in labels
    assert "metric" not in labels


def test_the_palette_offers_actions_but_no_cursor_movement() -> None:
    offered = {action.id for action in REGISTRY.commands("results")}
    assert "results.metric" in offered
    assert "go.runs" in offered
    assert "move.down" not in offered


def test_bindings_name_the_action_and_textual_keys() -> None:
    runs = bindings("runs", REGISTRY.actions)
    assert [(binding.key, binding.action, binding.id) for binding in runs] == [
        ("plus", "app.new_run", "runs.new"),
        ("z", "pause", "runs.pause"),
        ("X", "cancel", "runs.cancel"),
        ("underscore", "experiments", "runs.experiments"),
    ]


def test_ones_own_keys_change_help_footer_and_bindings_together() -> None:
    changed = REGISTRY.with_keys({"runs.new": "Q"})
    assert changed.footer("runs")[1].keys == ("Q",)
    assert bindings("runs", changed.actions)[0].key == "Q"
    assert clashes(changed) == []


def test_keys_are_written_for_people_without_ambiguous_signs() -> None:
    assert [key_text(key) for key in ("?", "pagedown", "up", "f5", "ctrl+p", "enter")] == [
        "?",
        "PgDn",
        "Up",
        "F5",
        "ctrl+p",
        "Enter",
    ]


class Typing(App[None]):
    BINDINGS = bindings(EVERYWHERE, REGISTRY.actions)

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def compose(self) -> ComposeResult:
        yield Input()

    async def on_event(self, event: events.Event) -> None:
        await super().on_event(normalised(event, self))

    def action_show_keys(self) -> None:
        self.asked += 1


async def test_a_full_width_key_acts_unless_text_is_being_typed() -> None:
    app = Typing()
    async with app.run_test() as pilot:
        field = app.query_one(Input)
        field.focus()
        await pilot.pause()
        app.post_message(events.Key("fullwidth_question_mark", "？"))
        await pilot.pause()
        assert (field.value, app.asked) == ("？", 0)
        app.set_focus(None)
        app.post_message(events.Key("fullwidth_question_mark", "？"))
        await pilot.pause()
        assert (field.value, app.asked) == ("？", 1)


def test_an_action_without_a_key_can_be_given_one() -> None:
    assert "everywhere.backup" in {action.id for action in REGISTRY.commands("home")}
    changed = REGISTRY.with_keys({"everywhere.backup": "Q"})
    assert clashes(changed) == []
    assert changed.textual_keymap(["everywhere.backup"]) == {"everywhere.backup": "Q"}
    (usual,) = bindings(EVERYWHERE, [one for one in REGISTRY.actions if one.verb == "backup"])
    assert usual.id == "everywhere.backup"
