"""The Textual app over one workspace: its places, its background work, its common actions."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from textual import events
from textual.app import App
from textual.binding import BindingType
from textual.command import Provider
from textual.driver import Driver
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from store.errors import RagdeskError
from store.faults import explain
from store.labels.news import MESSAGE, News, mark_seen
from store.records import Lang
from store.sharing.team import Role
from store.workspace import FILE_NAME, Workspace, open_workspace
from tui.calculator.calculator import Calculator
from tui.calculator.protocol import Query
from tui.keymap import REGISTRY
from tui.language import language, tr
from tui.live.facts import Facts
from tui.live.labels import news_text, status_line
from tui.live.watcher import Watcher
from tui.screens.destinations import (
    PLACE_OF,
    Asking,
    AtJudges,
    AtPlace,
    AtRuling,
    AtWork,
    Destination,
    JudgeRuns,
    NewRun,
)
from tui.screens.place import PlaceScreen
from tui.shell.actions import EVERYWHERE, bindings, key_text
from tui.shell.clipboard import sequence
from tui.shell.early_keys import EarlyKeys
from tui.shell.key_events import normalised
from tui.shell.own_keys import own_keys
from tui.shell.stylesheet import ParsedOnce
from tui.shell.terminal import redraws_fully, settle_memory
from tui.shell.theme import DARK, LIGHT, THEMES
from tui.shell.waits import Waits
from tui.widgets.line import ContentLines
from tui.widgets.palette import ActionCommands, Palette

T = TypeVar("T")


def _made(module: str, name: str) -> Callable[[], Screen[Any]]:
    """Makes a screen, whose module is imported when its place is first shown: what draws the
    first screen is not kept waiting for the other places."""
    return lambda: cast("Screen[Any]", getattr(import_module(module), name)())


class Ragdesk(App[int]):
    """`Ragdesk(Watcher(folder)).run()`; the watcher may have begun before."""

    TITLE = "ragdesk"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {ActionCommands}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012
    """By them every screen has a class, also one that asks."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EVERYWHERE, REGISTRY.actions)]
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "home": _made("tui.home.screen", "HomeScreen"),
        "corpus": _made("tui.corpus.screen", "CorpusScreen"),
        "build": _made("tui.building.screen", "BuildScreen"),
        "inspect": _made("tui.label.inspect_screen", "InspectScreen"),
        "runs": _made("tui.runs.screen", "RunsScreen"),
        "results": _made("tui.results.screen", "ResultsScreen"),
        "agreement": _made("tui.agreement.screen", "AgreementScreen"),
        "export": _made("tui.exporting.screen", "ExportsScreen"),
        "label": _made("tui.label.queue.sample_picker", "SamplePicker"),
    }
    DEFAULT_MODE = "home"

    @dataclass
    class News(Message):
        """The message that the contents of the workspace have changed."""

        facts: Facts

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, Ragdesk.News)

    def __init__(
        self,
        watcher: Watcher,
        *,
        rater: str = "",
        keymap: Mapping[str, str] | None = None,
        place: str = "",
    ) -> None:
        """`keymap` is action ids with a person's own keys, which `tui.shell.own_keys` has checked;
        `place` is where to begin, if not at Home."""
        if place in self.MODES:
            # of this app alone, and before Textual looks at it
            vars(self)["DEFAULT_MODE"] = place
        super().__init__()
        self.stylesheet = ParsedOnce(variables=self.get_css_variables())
        self.registry = REGISTRY.with_keys(keymap or {})
        self.set_keymap(self.registry.textual_keymap(keymap or {}))
        self.watcher = watcher
        self.rater = rater
        self.next_rater = ""
        """Who goes on when the app has been left; empty where nobody does."""
        self.next_language: Lang | None = None
        """The language that the app is started in anew when it has been left, if it is."""
        self.facts = watcher.latest
        self.calculator = Calculator(watcher.folder)
        self._workspace: Workspace | None = None
        self._opened = 0
        self._told: list[News] = []
        self._waits = Waits(self, self._show_where)
        self._early_keys = EarlyKeys(self, self._take)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name

    @classmethod
    def with_own_keys(cls, watcher: Watcher, *, rater: str, place: str) -> Ragdesk:
        """The app with the keys of the person's own files; raises InputError, naming the file,
        where these are wrong."""
        return cls(watcher, rater=rater, keymap=own_keys(watcher.folder, REGISTRY), place=place)

    # Life

    def get_driver_class(self) -> type[Driver]:
        """A terminal's driver that writes changes only, where nothing else was asked for."""
        usual = super().get_driver_class()
        if usual.__name__ != "LinuxDriver" or redraws_fully():
            return usual
        from tui.painting.driver import ChangesDriver

        return ChangesDriver

    def on_mount(self) -> None:
        self.watcher.attach(lambda facts: self.post_message(self.News(facts)))
        # what was learned since the app was made; a screen may have been drawn without it
        self.post_message(self.News(self.watcher.latest))
        self.call_after_refresh(settle_memory)

    def on_unmount(self) -> None:
        self.watcher.stop()
        self.calculator.close()
        self._close()

    async def on_event(self, event: events.Event) -> None:
        if not self._early_keys.keep(event):
            await self._take(event)

    async def _take(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and (place := self._place_screen()) is not None:
            place.footer.say("")
        await super().on_event(normalised(event, self))
        if isinstance(event, events.Resize) and event.size == self.size:
            # resized away and back before it was noticed: Textual sees no change, the terminal
            # has forgotten what stood there
            self.screen.refresh()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Nothing blinks: it would draw the eye, and write to the terminal twice a second."""
        if isinstance(event.widget, Input):
            event.widget.cursor_blink = False

    # The workspace

    @property
    def folder(self) -> Path:
        return self.watcher.folder

    @property
    def place(self) -> str:
        """The key of the place that is shown, even under an open question."""
        screen = self._place_screen()
        return self.DEFAULT_MODE if screen is None else screen.PLACE

    def read(self, question: Callable[[sqlite3.Connection], T]) -> T | None:
        """The answer to a question that takes a few milliseconds; None, and the problem is shown,
        when there is no answer."""
        try:
            return question(self._open().db)
        except sqlite3.Error as error:
            self.show_problem(str(explain(error, self.folder / FILE_NAME)))
        except RagdeskError as error:
            self.show_problem(str(error))
        return None

    def in_thread(
        self,
        what: str,
        task: Callable[[Workspace], T],
        done: Callable[[T], Awaitable[None] | None],
        *,
        group: str = "",
    ) -> None:
        """Does what `Host.in_thread` says; what still waits for a result that failed says so."""

        def run() -> T:
            with open_workspace(self.folder) as workspace:
                return task(workspace)

        worker = self.run_worker(
            run,
            name=what,
            group=group or "default",
            exclusive=bool(group),
            exit_on_error=False,
            thread=True,
        )
        self._waits.begin(worker, what, done)

    def ask(
        self,
        what: str,
        query: Query[T],
        done: Callable[[T], Awaitable[None] | None],
        *,
        group: str = "",
    ) -> None:
        """Has a query answered beside the app, then does `done` with the answer here."""
        self.in_thread(what, lambda _: self.calculator.ask(query), done, group=group)

    def ask_apart(
        self, what: str, query: Query[T], done: Callable[[T], Awaitable[None] | None]
    ) -> None:
        """Has a query answered by a process of its own, then does `done` with the answer here."""
        self.in_thread(what, lambda _: Calculator.ask_once(self.folder, query), done)

    async def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        worker = message.worker
        done = self._waits.end(worker) if worker.is_finished else None
        if done is None:
            return
        if worker.state is WorkerState.SUCCESS:
            self.watcher.look_now()
            finished = done(worker.result)
            if finished is not None:
                await finished
        elif worker.state is WorkerState.ERROR:
            self._explain(worker.error)
            for contents in self.screen.query(ContentLines):
                contents.fail()

    def _explain(self, error: BaseException | None) -> None:
        if isinstance(error, sqlite3.Error):
            error = explain(error, self.folder / FILE_NAME)
        if not isinstance(error, RagdeskError):
            raise error or RuntimeError("a worker failed without giving a reason")
        self.show_problem(str(error))

    def _open(self) -> Workspace:
        """The connection of this thread; a new one when the file was replaced."""
        if self._workspace is None or self._opened != self.facts.opened:
            self._close()
            self._workspace = open_workspace(self.folder).keep_small()
            self._opened = self.facts.opened
        return self._workspace

    def _close(self) -> None:
        if self._workspace is not None:
            self._workspace.close()
            self._workspace = None

    # What everybody sees

    def on_ragdesk_news(self, message: News) -> None:
        if not self.is_running:  # its screens are being taken apart
            return
        before, self.facts = self.facts, message.facts
        if before.is_open and not self.facts.is_open:
            self.show_problem(
                "The workspace {folder} is gone; the screens show its last contents. Put it "
                "back from a backup, or leave with ctrl+q.",
                folder=self.folder / FILE_NAME,
            )
        elif self.facts.problem and self.facts.problem != before.problem:
            self.show_problem(self.facts.problem)
        for screen in self.screen_stack:
            if isinstance(screen, PlaceScreen) and screen.is_current:
                screen.take_news()
        self._tell_news()

    def _tell_news(self) -> None:
        """Shows what the team is told, once while the app is open, where no problem is shown."""
        screen = self._place_screen()
        told = [one for one in self.facts.news if one not in self._told]
        if not told or screen is None or screen.problem.text:
            return
        self._told += told
        self.advise("   ".join(map(news_text, told)))
        message = next((one for one in told if one.what == MESSAGE), None)
        if message is not None and self.facts.role.may(Role.RATER):
            rater = self.rater

            def mark(workspace: Workspace) -> None:
                with workspace.write(role=Role.RATER) as db:
                    mark_seen(db, MESSAGE, message.version, rater)

            self.in_thread("storing what was seen", mark, lambda _: None)

    def question(self, screen: Screen[T | None], then: Callable[[T], object]) -> None:
        """Shows a question; `then` gets the answer, unless it was left without one."""

        def answered(answer: T | None) -> None:
            # what `then` returns is no answer: the end of a screen must not be waited for here
            if answer is not None:
                then(answer)

        self.push_screen(screen, answered)

    def show_problem(self, english: str, /, **given: object) -> None:
        """Says what went wrong and what to do; it stays until Esc."""
        self._show(tr(english, **given), is_trouble=True)

    def advise(self, english: str, /, **given: object) -> None:
        """Gives advice or news where a problem would be shown."""
        self._show(tr(english, **given), is_trouble=False)

    def _show(self, text: str, *, is_trouble: bool) -> None:
        screen = self._place_screen()
        if screen is not None:
            screen.problem.show(text, is_trouble=is_trouble)

    def status_text(self) -> str:
        """Describes the work going on, for the top line: waits first, then jobs; before them that
        the account can only read."""
        work = self._waits.text or status_line(self.facts)
        reads = "" if self.facts.role.may(Role.RATER) else tr("read-only")
        return "   ".join(filter(None, (reads, work)))

    def _show_where(self) -> None:
        screen = self._place_screen()
        if screen is not None:
            screen.show_where()

    def _place_screen(self) -> PlaceScreen | None:
        screens = reversed(self.screen_stack)
        return next((screen for screen in screens if isinstance(screen, PlaceScreen)), None)

    def reopen_as(self, rater: str) -> None:
        """Leaves the app; whoever runs it opens it anew for this rater."""
        self.next_rater = rater
        self.exit()

    # Actions

    async def action_go(self, place: str) -> None:
        await self.switch_mode(place)

    async def action_go_for(self, place: str, action_id: str) -> None:
        """Goes to the place of an action, and says how it is taken there."""
        await self.action_go(place)
        action = next(one for one in self.registry.scoped(place) if one.id == action_id)
        text = f"{key_text(action.keys[0])}: {action.label}. {action.help}"
        self.advise(text)

    def action_go_to(self) -> None:
        from tui.widgets.help import GoTo

        def go(place: str | None) -> None:
            if place is not None:
                self.switch_mode(place)

        self.push_screen(GoTo(self.registry.numbered), go)

    def action_show_keys(self) -> None:
        from tui.widgets.help import HelpScreen

        if isinstance(self.screen, PlaceScreen):
            self.push_screen(HelpScreen(self.registry.help(self.place)))

    async def action_back(self) -> None:
        screen = self.screen
        if not isinstance(screen, PlaceScreen):
            return
        if screen.problem.text:
            screen.problem.show("")
        elif not screen.step_back() and len(self.screen_stack) > 1:
            await self.pop_screen()

    def action_switch_theme(self) -> None:
        self.theme = LIGHT.name if self.theme == DARK.name else DARK.name

    def action_switch_language(self) -> None:
        """Leaves the app; whoever runs it starts it in the other language."""
        self.next_language = "en" if language() == "zh" else "zh"
        self.exit()

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def copy_to_clipboard(self, text: str) -> None:
        """Sends a text to the terminal's clipboard, through tmux too."""
        self._clipboard = text
        if self._driver is not None:
            self._driver.write(sequence(text))

    def action_copy(self) -> None:
        from tui.screens.copying import ask_copy

        if isinstance(self.screen, PlaceScreen):
            ask_copy(self, self.screen)

    def action_redraw(self) -> None:
        """Draw everything again: something else has written on the terminal."""
        forget = getattr(self._driver, "forget", None)
        if forget is not None:
            forget()
        self.screen.refresh()

    def action_help_quit(self) -> None:
        """Ctrl-C is the terminal's; here it only says how to leave."""
        self.advise("ctrl+q leaves; jobs go on in the background.")

    async def action_new_run(self) -> None:
        await self.open(NewRun())

    def action_show_settings(self) -> None:
        from tui.settings.screen import SettingsScreen

        screen = self.screen
        if isinstance(screen, PlaceScreen) and not isinstance(screen, SettingsScreen):
            self.push_screen(SettingsScreen())

    def action_release(self) -> None:
        from tui.screens.release import ask_release

        screen = self.screen
        if isinstance(screen, PlaceScreen):
            ask_release(self, screen.dataset, lambda _: None)

    def action_ask_over(self, module: str, function: str) -> None:
        """Asks what an action made by `asked` names, over the screen that is shown."""
        if isinstance(self.screen, PlaceScreen):
            getattr(import_module(module), function)(self.screen)

    async def action_judge_answers(self) -> None:
        screen = self.screen
        if isinstance(screen, PlaceScreen):
            await self.open(JudgeRuns(screen.run_name))

    async def open(self, destination: Destination) -> None:
        """Goes to another place, or opens a screen of one."""
        match destination:
            case AtPlace(key):
                await self.switch_mode(key)
            case Asking(verb):
                named = f"{EVERYWHERE}.{verb}"
                action = next(one for one in self.registry.actions if one.id == named)
                await self.run_action(action.action)
            case AtRuling() | AtJudges() | NewRun() | JudgeRuns():
                self._open_over(destination)
            case AtWork() if isinstance(self.screen, ModalScreen):
                # a job that was queued is shown, unless something else is asked by now
                return
            case _:
                await self.switch_mode(PLACE_OF[type(destination)])
                await self._uncover(destination)

    async def _uncover(self, destination: Destination) -> None:
        """Leaves what lies over the screen that shows the destination; what was typed there is
        kept as a draft, as whenever a screen is left."""
        while not (isinstance(self.screen, PlaceScreen) and self.screen.arrive(destination)):
            if len(self.screen_stack) == 1:
                return
            await self.pop_screen()

    def _open_over(self, destination: AtRuling | AtJudges | NewRun | JudgeRuns) -> None:
        """Opens a screen over the one that is shown; each is imported when it is first opened,
        which brings the editors and the answerers with it."""
        match destination:
            case AtRuling(form, first):
                from tui.label.adjudication import AdjudicationScreen

                self.push_screen(AdjudicationScreen(form, first=first))
            case AtJudges(sample, by):
                from tui.calibration.screen import CalibrationScreen

                self.push_screen(CalibrationScreen(sample, by))
            case NewRun(release):
                from tui.runs.launch import open_launch

                open_launch(self, release)
            case JudgeRuns(run):
                from tui.calibration.launch import open_judging

                open_judging(self, run)
