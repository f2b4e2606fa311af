"""Agreement: how far raters agree, by metric, pair, topic, task or cell, and where they differ."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, NamedTuple, cast

from textual.binding import Binding, BindingType
from textual.widget import Widget

from engine.agreement.records import Agreement, By, Part, RaterAgreement
from engine.forms import load_form
from engine.metrics.aggregate import SMALL_CELL
from store import label_samples
from store.label_conflicts import LabelCount
from store.workspace import Workspace
from tui.agreement_words import MEANINGS, NAMED, field_text, part_text
from tui.calculator import Calculator
from tui.calculator_process import AgreementRequest
from tui.keymap import REGISTRY
from tui.live.facts import Facts
from tui.screens.agreement_rows import TIMES, columns, details, heat_map, lines, row_key
from tui.screens.choose import Choose
from tui.screens.conflict_rows import Part as ConflictPart
from tui.screens.place import PlaceScreen
from tui.screens.topic_words import cell_names
from tui.widgets.heatmap import HeatMap
from tui.widgets.line import Piece
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows
from tui.widgets.sheet import Sheet
from tui.widgets.text_lines import TextLines

WAYS = {
    "metric": "metric by metric, all raters together",
    "pair": "each pair of raters",
    "cell": "topics x tasks, as a heat map of one statistic",
    "topic": "each topic",
    "task": "each task",
    "again": "each rater against their own hidden repeats",
}
"""What the lines can be by."""
_OF_MAP: tuple[By, ...] = ("cell", "topic", "task", "metric")


class Shown(NamedTuple):
    """What the screen is asked to show."""

    form: str
    sample: str | None = None
    by: str = "metric"
    field: str = ""
    """Empty for all; a heat map has one."""
    part: Part = "value"
    statistic: str = "kappa"


class AgreementScreen(PlaceScreen):
    """Nothing is computed again by itself: a figure that one is reading does not change. When
    labels have changed since, a line says so."""

    PLACE = "agreement"
    BINDINGS: ClassVar[list[BindingType]] = [
        *REGISTRY.bindings("agreement"),
        Binding("tab,shift+tab", "other_pane", "other pane", show=False),
    ]
    DEFAULT_CSS = """
    AgreementScreen #agreement { height: 1fr; }
    AgreementScreen #agreement-map { height: 3fr; display: none; padding: 0 1; }
    AgreementScreen #agreement-details { height: 1fr; margin-top: 1; background: $surface; }
    AgreementScreen.-map #agreement-map { display: block; }
    AgreementScreen.-map #agreement { display: none; }
    AgreementScreen.-one-pane #agreement-details { display: none; }
    AgreementScreen.-one-pane.-in-details #agreement-details { display: block; margin-top: 0; }
    AgreementScreen.-one-pane.-in-details #agreement { display: none; }
    AgreementScreen.-one-pane.-in-details #agreement-map { display: none; }
    AgreementScreen.-nothing #agreement-details { display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.caption = TextLines(2, id="caption")
        self.list = Rows(ListSource(), id="agreement")
        self.map = HeatMap(id="agreement-map")
        self.details = Sheet(title="figures", id="agreement-details")
        self.shown: Shown | None = None
        self.found: Mapping[By, RaterAgreement] = {}
        """What is painted; it may be of something else than `shown` for a moment."""
        self.computed_at = -1
        """Number of the last label when it was computed."""
        self._rows: dict[str, Agreement] = {}

    def compose_body(self) -> Iterator[Widget]:
        yield self.caption
        yield self.list
        yield self.map
        yield self.details

    def on_mount(self) -> None:
        super().on_mount()
        self.list.focus()

    def context(self) -> tuple[str, ...]:
        if self.shown is None:
            return super().context()
        count = self._count()
        conflicts = count.conflicts if count is not None else 0
        said = f"{conflicts:,} conflict{'' if conflicts == 1 else 's'}" if conflicts else ""
        return (said, self.shown.form, self.shown.sample or "all labels")

    # What is shown

    def show_facts(self, facts: Facts, before: Facts | None) -> None:
        if self.shown is None or facts.labels(self.shown.form) is None:
            best = max(facts.labelled, key=lambda one: (one.shared, one.subjects), default=None)
            if best is None or not best.shared:
                self._show_nothing(best)
                return
            self._ask(Shown(best.form))
        else:
            self._say()

    def show_form(self, form: str) -> None:
        """Show a form by metric, over all its labels."""
        if self.shown is None or (self.shown.form, self.shown.sample) != (form, None):
            self._ask(Shown(form))

    def _count(self) -> LabelCount | None:
        return self.desk.facts.labels(self.shown.form) if self.shown is not None else None

    def _ask(self, wanted: Shown) -> None:
        self.shown = wanted
        self.remove_class("-nothing")
        count = self._count()
        at = count.seq if count is not None else 0
        calculator = self.desk.calculator
        self.desk.in_thread(
            "computing agreement",
            lambda workspace: _compute(workspace, calculator, wanted),
            lambda found: self._show(found, wanted, at),
            group="agreement",
            exclusive=True,
        )
        self.show_where()

    def _show(self, found: Mapping[By, RaterAgreement], asked: Shown, at: int) -> None:
        if asked != self.shown:
            return
        self.found, self.computed_at = found, at
        is_map = asked.by == "cell"
        had_focus = self.focused is None or self.focused in (self.list, self.map)
        self.set_class(is_map, "-map")
        if is_map:
            self._show_map(asked)
        else:
            self._show_list(asked)
        if had_focus:
            (self.map if is_map else self.list).focus()
        self._say()
        self.show_where()

    def _show_list(self, asked: Shown) -> None:
        rows = self._chosen(self._agreements(asked), asked)
        self._rows = {row_key(one): one for one in rows}
        names = cell_names(self.desk.facts, os.environ)
        current = self.list.current
        empty = _EMPTY.get(asked.by, "Nothing here has two raters.")
        shown = ListSource(lines(rows, asked.by, names))
        self.list.set_source(shown, columns(asked.by), empty=empty)
        if current is not None and current.key in self._rows:
            self.list.move_to(list(self._rows).index(str(current.key)))
        self._show_details()

    def _agreements(self, asked: Shown) -> Sequence[Agreement]:
        if asked.by == "again":
            return self.found["metric"].again
        return self.found[cast(By, asked.by)].rows

    def _chosen(self, rows: Sequence[Agreement], asked: Shown) -> list[Agreement]:
        return [one for one in rows if not asked.field or (one.field, one.part) == asked[3:5]]

    def _show_map(self, asked: Shown) -> None:
        names = cell_names(self.desk.facts, os.environ)
        rows = {by: found.rows for by, found in self.found.items()}
        self.map.show(
            heat_map(rows, asked.field, asked.part, asked.statistic, names),
            empty="No subject of this metric has two raters.",
        )
        self._show_details()

    def _say(self) -> None:
        """The caption: who and how many; that labels have changed, or how to read the figures."""
        shown, count = self.shown, self._count()
        if shown is None or count is None:
            return
        form = load_form(shown.form)
        first: list[Piece] = [(form.en, "strong")]
        any_found = next(iter(self.found.values()), None)
        if any_found is not None:
            first.append((f"   {', '.join(any_found.raters)}", ""))
        if shown.field and shown.by != "cell":
            said = f"{field_text(shown.field)}, {part_text(shown.part)}"
            first.append((f"   only {said}: m shows all", "warn"))
        first.append((f"   {count.shared:,} of {count.subjects:,} by two raters or more", "muted"))
        second: list[Piece]
        if self.computed_at >= 0 and count.seq != self.computed_at:
            second = [("labels have changed since: ctrl+r computes again", "warn")]
        elif any_found is not None and any_found.after_reveal:
            second = [(f"{any_found.after_reveal:,} labelled after looking", "warn")]
        elif shown.by == "cell":
            said = f"{field_text(shown.field)}, {part_text(shown.part)}: {shown.statistic}"
            second = [(said, "strong"), (f"   {MEANINGS[shown.statistic]}", "muted")]
        else:
            said = f"0 as good as chance, 1 always equal   - undefined   grey: n below {SMALL_CELL}"
            second = [(said, "muted")]
        self.caption.show([first, second])

    def _show_nothing(self, best: LabelCount | None) -> None:
        self.add_class("-nothing")
        self.remove_class("-map")
        self.caption.show([[], []])
        empty = _alone(best) if best is not None else _NOBODY
        self.list.set_source(ListSource(), empty=empty)

    # What the cursor is on

    @property
    def current(self) -> Agreement | None:
        """The agreement under the cursor, of the list or of the map."""
        shown = self.shown
        if shown is None or not self.found:
            return None
        if shown.by != "cell":
            row = self.list.current
            return self._rows.get(str(row.key)) if row is not None else None
        topic, task = self.map.cursor
        by: By = "cell" if topic and task else "topic" if topic else "task" if task else "metric"
        group = TIMES.join(filter(None, (topic, task)))
        return next(
            (one for one in self._chosen(self.found[by].rows, shown) if one.group == group), None
        )

    def _show_details(self) -> None:
        one, shown = self.current, self.shown
        if one is None or shown is None:
            self.details.show(None, title="figures")
            return
        names = cell_names(self.desk.facts, os.environ)
        group = TIMES.join(names.get(part, part) for part in one.group.split(TIMES))
        where = "   ".join(filter(None, (field_text(one.field), part_text(one.part), group)))
        self.details.show(details(one), title=f"{where}   n {one.n:,} in {one.groups:,} groups")

    def on_rows_highlighted(self, message: Rows.Highlighted) -> None:
        self._show_details()

    def on_heat_map_highlighted(self, message: HeatMap.Highlighted) -> None:
        self._show_details()

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        self._enter_details()

    def on_heat_map_chosen(self, message: HeatMap.Chosen) -> None:
        self._enter_details()

    def _enter_details(self) -> None:
        if self.current is None:
            self.desk.show_problem("No subject here has two raters.", is_trouble=False)
            return
        self.add_class("-in-details")
        self.details.focus()

    @property
    def _main(self) -> Widget:
        return self.map if self.has_class("-map") else self.list

    def action_other_pane(self) -> None:
        if self.details.has_focus:
            self.step_back()
        else:
            self._enter_details()

    def action_whole(self) -> None:
        self.toggle_class("-one-pane")

    def step_back(self) -> bool:
        if not self.details.has_focus:
            return False
        self.remove_class("-in-details")
        self._main.focus()
        return True

    # Actions

    def action_axes(self) -> None:
        shown = self.shown
        if shown is None:
            return
        rows = [
            Row(
                by,
                (Cell(by, "strong"), Cell(what, "muted")),
            )
            for by, what in WAYS.items()
        ]

        def chosen(by: str | None) -> None:
            if by is None:
                return
            if by == "cell" and not shown.field:
                field, part = self._first_metric()
                self._ask(shown._replace(by=by, field=field, part=part))
            else:
                self._ask(shown._replace(by=by))

        self.app.push_screen(
            Choose("Agreement by", (Column(width=8), Column()), rows, shown.by), chosen
        )

    def _first_metric(self) -> tuple[str, Part]:
        """That of the line with the cursor; the form's first field by default."""
        one = self.current
        if one is not None:
            return one.field, one.part
        assert self.shown is not None
        return load_form(self.shown.form).fields[0].key, "value"

    def action_metric(self) -> None:
        shown = self.shown
        if shown is None or not self.found:
            return
        known = self._metrics(shown)
        rows = [Row("", (Cell("all of them"), ""))] if shown.by != "cell" else []
        rows += [
            Row(f"{field}\t{part}", (Cell(field_text(field), "strong"), Cell(part_text(part))))
            for field, part in known
        ]

        def chosen(key: str | None) -> None:
            if key is not None:
                field, _, part = key.partition("\t")
                self._ask(shown._replace(field=field, part=cast(Part, part or "value")))

        current = f"{shown.field}\t{shown.part}" if shown.field else ""
        self.app.push_screen(Choose("Metric", (Column(), Column(width=8)), rows, current), chosen)

    def _metrics(self, shown: Shown) -> list[tuple[str, Part]]:
        kinds = ("scale", "choice", "flag")
        out: list[tuple[str, Part]] = []
        for field in load_form(shown.form).fields:
            if field.kind in kinds:
                out += [(field.key, "applicability")] if field.na else []
                out.append((field.key, "value"))
        seen = [(one.field, one.part) for found in self.found.values() for one in found.rows]
        return list(dict.fromkeys([*out, *seen]))

    def action_statistic(self) -> None:
        shown = self.shown
        if shown is None or shown.by != "cell":
            self.desk.show_problem("A heat map has one statistic: b, cell.", is_trouble=False)
            return
        rows = [Row(name, (Cell(name, "strong"), Cell(MEANINGS[name], "muted"))) for name in NAMED]

        def chosen(name: str | None) -> None:
            if name is not None:
                self.shown = shown._replace(statistic=name)
                self._show_map(self.shown)
                self._say()

        self.app.push_screen(
            Choose("Statistic", (Column(width=10), Column()), rows, shown.statistic), chosen
        )

    def action_sample(self) -> None:
        """Another form, or a sample of one."""
        rows: list[Row] = []
        for count in self.desk.facts.labelled:
            said = f"{count.subjects:,} labelled, {count.shared:,} by two or more"
            rows.append(Row(count.form, (Cell(count.form, "strong"), "all labels", said)))
            form = count.form
            for sample in self.desk.read(lambda db: label_samples.listing(db, form)) or ():  # noqa: B023
                rows.append(Row(f"{form}\t{sample.name}", ("", sample.name, "")))
        if not rows:
            return

        def chosen(key: str | None) -> None:
            if key is not None:
                form, _, sample = key.partition("\t")
                before = self.shown or Shown(form)
                wanted = before if before.form == form else Shown(form)
                self._ask(wanted._replace(form=form, sample=sample or None))

        shown = self.shown
        current = "\t".join(filter(None, (shown.form, shown.sample))) if shown else ""
        self.app.push_screen(
            Choose("Form and sample", (Column(), Column(), Column()), rows, current), chosen
        )

    def action_recompute(self) -> None:
        if self.shown is not None:
            self._ask(self.shown)

    def action_conflicts(self) -> None:
        """What raters differ on, of what the cursor is on."""
        self.show_conflicts(self._part())

    def show_conflicts(self, part: ConflictPart | None = None) -> None:
        """What raters differ on: of a part, or all."""
        if self.shown is None:
            return
        from tui.screens.conflicts import ConflictsScreen

        form, sample = self.shown.form, self.shown.sample
        self.app.push_screen(ConflictsScreen(form, sample, part or ConflictPart()))

    def _part(self) -> ConflictPart:
        """Which conflicts belong to the line or cell with the cursor."""
        one, shown = self.current, self.shown
        if one is None or shown is None:
            return ConflictPart()
        fields = {field.key for field in load_form(shown.form).fields}
        part = ConflictPart(field=one.field if one.field in fields else "")
        if shown.by == "pair":
            first, second = one.raters
            return part._replace(raters=(first, second))
        if shown.by == "topic":
            return part._replace(topic=one.group)
        if shown.by == "task":
            return part._replace(task=one.group)
        if shown.by == "cell":
            topic, task = self.map.cursor
            return part._replace(topic=topic or "", task=task or "")
        return part

    def action_judges(self) -> None:
        """Every judge against people."""
        from tui.screens.calibration import CalibrationScreen

        sample = self.shown.sample if self.shown and self.shown.form == "judge_labels" else None
        self.app.push_screen(CalibrationScreen(sample))


def _compute(
    workspace: Workspace, calculator: Calculator, wanted: Shown
) -> dict[By, RaterAgreement]:
    """A heat map needs its cells and their margins; anything else one grouping."""
    if wanted.by == "cell":
        groupings = _OF_MAP
    else:
        groupings = ("metric" if wanted.by == "again" else cast(By, wanted.by),)
    return {
        by: calculator.agreement(
            AgreementRequest(wanted.form, wanted.sample, by, wanted.field if wanted.field else "")
        )
        for by in groupings
    }


_NOBODY = (
    "Nobody has labelled anything to its end yet. F7 Label, then + draws a sample for two raters;"
    " in a shell:"
    "\n\nragdesk sample draw first --form judge_labels --run RUN --per-cell 5 --raters-wanted 2"
    "\n\nEach rater opens this workspace with --rater NAME and labels on F7; items are inspected on"
    " F4. Figures show here by themselves."
)
_EMPTY = {
    "again": "No rater has been shown a hidden repeat: ragdesk sample draw ... --repeats 0.1",
    "pair": "Agreement needs two raters who labelled the same.",
}


def _alone(count: LabelCount) -> str:
    return (
        f"{count.subjects:,} labelled with {count.form}, none of them by two raters. Agreement"
        " needs two: draw with --raters-wanted 2, or let a second rater open this workspace with"
        " --rater NAME. J shows judges against the labels that there are."
    )
