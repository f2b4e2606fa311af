"""The Agreement screen: how far raters agree by metric, pair, topic, task or cell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from textual.widget import Widget

from engine.labelling.figures.agreement_records import Agreement, Part
from store.labels.consensus import LabelCount
from store.messages import plural
from store.sharing.modes import is_shared
from tui.agreement.choices import choose_metric, choose_sample, choose_statistic, choose_way
from tui.agreement.conflict_rows import Part as ConflictPart
from tui.agreement.details import details
from tui.agreement.heat_map import heat_map
from tui.agreement.keys import ACTIONS
from tui.agreement.messages import EMPTY, NO_PAIR, alone, how_pieces, nobody, who_pieces
from tui.agreement.shown import (
    AgreementsBy,
    ShownAgreement,
    compute,
    conflicts_behind,
    shown_at,
    shown_of,
)
from tui.agreement.table import TIMES, columns, lines, metric_text, part_text, row_key
from tui.language import read, tr
from tui.live.facts import Facts
from tui.screens.destinations import AtAgreement, AtJudges, Destination
from tui.screens.label_forms import read_form
from tui.screens.labels import cell_names
from tui.screens.list_and_details import ListAndDetails
from tui.widgets.heatmap import HeatMap
from tui.widgets.row_source import ListSource


class AgreementScreen(ListAndDetails, actions=ACTIONS):
    """Nothing is computed again by itself: a figure that one is reading does not change. When
    labels have changed since, a line says so."""

    PLACE = "agreement"
    DEFAULT_CSS = """
    AgreementScreen #agreement-map { height: 3fr; display: none; padding: 0 1; }
    AgreementScreen.-map #agreement-map { display: block; }
    AgreementScreen.-map #listed { display: none; }
    AgreementScreen.-one-pane.-in-details #agreement-map { display: none; }
    AgreementScreen.-nothing #details { display: none; }
    """

    def __init__(self) -> None:
        super().__init__(details=tr("figures"))
        self.map = HeatMap(id="agreement-map")
        self.shown: ShownAgreement | None = None
        self.agreements: AgreementsBy = {}
        """What is painted; it may be of something else than `shown` for a moment."""
        self.computed_at = -1
        """Number of the last label when it was computed."""
        self._rows: dict[str, Agreement] = {}

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.list
        yield self.map
        yield self.details

    def context(self) -> tuple[str, ...]:
        if self.shown is None:
            return super().context()
        count, agreement = self._count(), next(iter(self.agreements.values()), None)
        conflicts = count.conflicts if count is not None else 0
        if self.shown.sample and agreement is not None:
            # of the sample alone, as the figures are
            conflicts = agreement.conflicts
        conflict_count = read(plural(conflicts, "conflict")) if conflicts else ""
        return (conflict_count, self.shown.form, self.shown.sample or tr("all labels"))

    def idle_keys(self) -> Collection[str]:
        if self.shown is None:
            actions = self.host.registry.scoped(self.PLACE)
            return {one.id for one in actions} - {"agreement.sample", "agreement.judges"}
        return () if self.shown.is_map else ("agreement.statistic",)

    def command(self) -> Sequence[str]:
        if self.shown is None:
            return ()
        by = "metric" if self.shown.by == "again" else self.shown.by
        sample = ("--sample", self.shown.sample) if self.shown.sample else ()
        return ("agree", "--form", self.shown.form, "--by", by, *sample)

    # What is shown

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        if self.shown is None or facts.labels(self.shown.form) is None:
            best = max(facts.labelled, key=lambda one: (one.shared, one.subjects), default=None)
            if best is None or not best.shared:
                self._show_nothing(best)
                return
            self._ask(ShownAgreement(best.form))
        else:
            self._say()

    def arrive(self, destination: Destination) -> bool:
        if isinstance(destination, AtAgreement):
            self.show_form(destination.form)
            if destination.conflicts:
                self.show_conflicts()
        return True

    def show_form(self, form: str) -> None:
        """Shows the agreement on a form by metric, over all its labels."""
        if self.shown is None or (self.shown.form, self.shown.sample) != (form, None):
            self._ask(ShownAgreement(form))

    def _count(self) -> LabelCount | None:
        return self.host.facts.labels(self.shown.form) if self.shown is not None else None

    def _ask(self, shown: ShownAgreement) -> None:
        self.shown = shown
        self.remove_class("-nothing")
        count = self._count()
        at = count.seq if count is not None else 0
        calculator = self.host.calculator
        self.host.in_thread(
            tr("computing agreement"),
            lambda workspace: compute(calculator, shown),
            lambda agreements: self._show(agreements, shown, at),
            group="agreement",
        )
        self.show_where()

    def _show(self, agreements: AgreementsBy, asked: ShownAgreement, at: int) -> None:
        if asked != self.shown:
            return
        self.agreements, self.computed_at = agreements, at
        had_focus = self.focused is None or self.focused in (self.list, self.map)
        self.set_class(asked.is_map, "-map")
        if asked.is_map:
            self._show_map(asked)
        else:
            self._show_list(asked)
        if had_focus:
            self.main_pane.focus()
        self._say()
        self.show_where()

    def _show_list(self, asked: ShownAgreement) -> None:
        rows = shown_of(self.agreements, asked)
        self._rows = {row_key(one): one for one in rows}
        names = cell_names(self.host.facts)
        current = self.list.current
        empty = EMPTY.get(asked.by, NO_PAIR)
        shown = ListSource(lines(rows, asked.by, names))
        self.list.set_source(shown, columns(asked.by), empty=empty)
        if current is not None:
            self.list.move_to_key(current.key)
        self.show_details()

    def _show_map(self, asked: ShownAgreement) -> None:
        names = cell_names(self.host.facts)
        rows = {by: agreement.rows for by, agreement in self.agreements.items()}
        self.map.show(
            heat_map(rows, asked.field, asked.part, asked.statistic, names),
            empty=tr("No subject was labelled by two raters on this metric."),
        )
        self.show_details()

    def _say(self) -> None:
        """The caption: who and how many; that labels have changed, or how to read the figures."""
        shown, count = self.shown, self._count()
        if shown is None or count is None:
            return
        agreement = next(iter(self.agreements.values()), None)
        is_stale = self.computed_at >= 0 and count.seq != self.computed_at
        self.caption.show(
            [
                who_pieces(read_form(self.host, shown.form), shown, count, agreement),
                how_pieces(shown, agreement, is_stale=is_stale),
            ]
        )

    def _show_nothing(self, best: LabelCount | None) -> None:
        self.add_class("-nothing")
        self.remove_class("-map")
        self.caption.show([[], []])
        in_team = is_shared(self.host.folder)
        empty = nobody(in_team=in_team) if best is None else alone(best, in_team=in_team)
        self.list.set_source(ListSource(), empty=empty)

    # What the cursor is on

    @property
    def main_pane(self) -> Widget:
        return self.map if self.has_class("-map") else self.list

    @property
    def current(self) -> Agreement | None:
        """The agreement under the cursor, of the list or of the map."""
        shown = self.shown
        if shown is None or not self.agreements:
            return None
        if shown.is_map:
            return shown_at(self.agreements, shown, *self.map.cursor)
        row = self.list.current
        return self._rows.get(str(row.key)) if row is not None else None

    def show_details(self) -> None:
        agreement = self.current
        if agreement is None:
            self.details.show(None, title=tr("figures"))
            return
        names = cell_names(self.host.facts)
        group = TIMES.join(names.get(part, part) for part in agreement.group.split(TIMES))
        where = "   ".join(
            filter(None, (metric_text(agreement.field), part_text(agreement.part), group))
        )
        self.details.show(
            details(agreement),
            title=tr(
                "{where}   n {n:,} in {groups}",
                where=where,
                n=agreement.n,
                groups=plural(agreement.groups, "group"),
            ),
        )

    def say_no_details(self) -> None:
        self.host.advise("No subject here was labelled by two raters.")

    def on_heat_map_highlighted(self, message: HeatMap.Highlighted) -> None:
        self.show_details()

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        self.enter_details()

    # Keys

    def action_axes(self) -> None:
        if self.shown is not None:
            choose_way(self.host, self.shown, self._first_metric(self.shown), self._ask)

    def _first_metric(self, shown: ShownAgreement) -> tuple[str, Part]:
        """Returns the metric of the current line, else the form's first field."""
        agreement = self.current
        if agreement is not None:
            return agreement.field, agreement.part
        return read_form(self.host, shown.form).fields[0].key, "value"

    def action_metric(self) -> None:
        if self.shown is not None and self.agreements:
            form = read_form(self.host, self.shown.form)
            choose_metric(self.host, form, self.shown, self.agreements, self._ask)

    def action_statistic(self) -> None:
        shown = self.shown
        if shown is None or not shown.is_map:
            self.host.advise("A heat map has one statistic: b, cell.")
            return

        def chosen(wanted: ShownAgreement) -> None:
            self.shown = wanted
            self._show_map(wanted)
            self._say()

        choose_statistic(self.host, shown, chosen)

    def action_sample(self) -> None:
        choose_sample(self.host, self.shown, self._ask)

    def action_recompute(self) -> None:
        if self.shown is not None:
            self._ask(self.shown)

    def action_conflicts(self) -> None:
        """Lists the conflicts behind the current line or cell."""
        agreement, shown = self.current, self.shown
        if agreement is None or shown is None:
            self.show_conflicts()
        else:
            topic, task = self.map.cursor
            form = read_form(self.host, shown.form)
            self.show_conflicts(conflicts_behind(form, agreement, shown, topic, task))

    def show_conflicts(self, part: ConflictPart | None = None) -> None:
        """Lists the conflicts of a part, or all of them."""
        if self.shown is None:
            return
        from tui.agreement.conflicts import ConflictsScreen

        form, sample = self.shown.form, self.shown.sample
        self.app.push_screen(ConflictsScreen(form, sample, part or ConflictPart()))

    async def action_judges(self) -> None:
        """Opens the comparison of every judge with people."""
        sample = self.shown.sample if self.shown and self.shown.form == "judge_labels" else None
        await self.host.open(AtJudges(sample))
