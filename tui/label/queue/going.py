"""Where a rater goes: to a part of the queue, to one subject, to the figures over the work."""

from __future__ import annotations

from engine.labelling.session import WHOLE_QUEUE, Route
from store.labels.log.events import Subject
from store.labels.samples.queue import Filter
from tui.label.desk_protocol import Desk
from tui.label.queue.routes import named, route_rows, routes
from tui.language import tr
from tui.screens.choose import Choose
from tui.screens.destinations import AtQueue
from tui.screens.labels import cell_names
from tui.widgets.row_source import Column


class Going:
    """Leads a desk to other subjects, and over its screens to the figures and back."""

    def __init__(self, desk: Desk, home: Route = WHOLE_QUEUE) -> None:
        """`home` is what leads back from a narrower part of the queue."""
        self._desk = desk
        self.home = home

    # In the queue

    def queue(self) -> None:
        """Asks which part of the queue, and follows it."""
        desk, session = self._desk, self._desk.session
        if session is None:
            return
        offers = routes(session, cell_names(desk.host.facts), self.home)

        columns = (Column(minimum=24), Column("", 16, "right"), Column("", 5, "right", drop=1))
        desk.host.question(
            Choose(tr("Part of the queue"), columns, route_rows(offers)),
            lambda key: self.follow(offers[int(key)].route),
        )

    def follow(self, route: Route) -> None:
        """Goes through other subjects from here on."""
        desk, session = self._desk, self._desk.session
        if session is None:
            return

        def go() -> None:
            if session.follow(route):
                desk.show_opened()
            else:
                desk.flash(tr("nothing waits there: {title}", title=route.title))
                desk.look_ahead()

        desk.saving.attempt(go, lambda: self.follow(route))

    def go_home(self) -> bool:
        """Back to where one came from; False where one is there."""
        session = self._desk.session
        if session is None or session.route == self.home:
            return False
        self.follow(self.home)
        return True

    def visit(self, subject: Subject) -> None:
        """Opens a subject that was labelled before, or that is still to be had."""
        desk, session = self._desk, self._desk.session
        if session is None:
            return

        def go() -> None:
            if not session.labels(subject) and not session.take(subject):
                desk.flash(tr("it is not in your queue: others have it, or have done it"))
                return
            session.show(subject)
            desk.show_opened()

        desk.saving.attempt(go, lambda: self.visit(subject))

    # To the figures

    def statistics(self) -> None:
        """Opens the statistics of the form."""
        from tui.statistics.screen import StatisticsScreen

        self._desk.host.push_screen(StatisticsScreen(self._desk.form.key), self._went)

    def progress(self) -> None:
        """Opens the map of how far every cell is."""
        from tui.statistics.progress import ProgressScreen

        desk = self._desk
        sample = desk.session.route.filter.sample if desk.session is not None else None
        desk.host.push_screen(ProgressScreen(desk.form.key, sample), self._went)

    def _went(self, left: AtQueue | None) -> None:
        """Back from the figures, perhaps to a subject or to a part of the queue."""
        self._desk.restart_clock()
        if left is None:
            return
        if left.subject is not None:
            self.visit(left.subject)
            return
        part = Filter(left.sample, left.topic, left.task)
        names = cell_names(self._desk.host.facts)
        title = (
            named(names, left.topic or "", left.task or "") or left.sample or tr("the whole queue")
        )
        self.follow(Route(title, part))
