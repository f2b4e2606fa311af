"""The questions that make and start an experiment: of one's own, or that of a paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from engine.evaluate.system_fields import system_fields
from engine.evaluate.systems import STAGES, systems
from engine.experiments.design import How, read_design
from engine.experiments.estimate import ExperimentEstimate
from engine.experiments.experiment_job import RunExperiment
from engine.experiments.judging import metric_judges
from engine.experiments.plan import Plan, Wanted
from engine.experiments.recipes import read_recipe, recipe_names
from engine.jobs.operation import Estimate
from engine.judge.estimate import JudgeEstimate
from engine.settings.fields import Field
from store.datasets.datasets import Release
from store.errors import RagdeskError
from store.jobs.jobs import Job
from store.messages import plural
from store.runs import experiments
from store.systems import SystemConfig
from tui.language import later, tr
from tui.runs.experiment_queries import BeginQuery, LeftQuery, PlanQuery
from tui.runs.launch import read_releases
from tui.screens.choose import Choose, ChooseMany, named_rows
from tui.screens.form import Line, Pick, Values, is_count
from tui.screens.host import Host
from tui.screens.job_requests import queue_job
from tui.screens.model_form import ESTIMATING, OFFLINE, ModelForm, ask_model, budget_of, calls_words
from tui.screens.release import ask_release
from tui.widgets.heading import SectionLine
from tui.widgets.line import TextLines
from tui.widgets.pressed import PressLine
from tui.widgets.row_source import Cell, Column, ListSource, Row
from tui.widgets.rows import Rows

FACTORS = {
    "factor": later("Factor"),
    "factor 2": later("Factor 2"),
    "factor 3": later("Factor 3"),
}
"""The labels of the lines by their keys."""
HOWS: tuple[How, ...] = ("grid", "one-at-a-time", "halving")
STAND_IN = "offline"
"""In the place of a system: what the recipe takes without a model."""
OWN = "own"
NO, YES = tr("no"), tr("yes")
JUDGED = "judged"

Left = TypeVar("Left", bound=Estimate)


class ArmsScreen(ModalScreen[bool]):
    """All arms with what they take; dismisses with True where they shall be worked."""

    DEFAULT_CSS = """
    ArmsScreen { align: center middle; }
    ArmsScreen > Vertical {
        width: 94%; max-width: 120; height: 94%; padding: 1 2; background: $panel;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(False)", "back", show=False),
        Binding("enter", "dismiss(True)", "start", show=False),
    ]

    def __init__(self, name: str, made: Plan) -> None:
        super().__init__()
        self._made = made
        self._title = f"{name}: {plural(made.arms, 'arm')}"
        rows = [Row(arm, (Cell(arm, "strong"),)) for arm, _ in made.changes]
        self.arms = Rows(ListSource(rows), (Column(minimum=30),))
        self.note = TextLines(4)
        self.start = PressLine("Make it and start in the background", "Enter")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield SectionLine(self._title, "Enter: start   Esc: back")
            yield self.arms
            yield self.note
            yield self.start

    def on_mount(self) -> None:
        self.note.lay(
            [(text, "muted") for text in plan_words(self._made)], self.app.size.width - 12
        )
        self.start.focus()

    def on_press_line_pressed(self, message: PressLine.Pressed) -> None:
        self.dismiss(True)


class Levels(ChooseMany):
    """The values that a factor gives a field."""

    KEYS = tr("Enter: select or clear   Esc: done")


class KnownForm(ModelForm[Left]):
    """Begins nothing before it is known what it takes."""

    def press(self) -> None:
        trouble = self._check(self.values)
        self.start.say(trouble)
        if not trouble and isinstance(self._answer, Estimate):
            self.begin(self._answer)
        elif not trouble:
            self.say(ESTIMATING if self._answer is None else str(self._answer))

    def begin(self, known: Estimate) -> None:
        """Takes the values, unless a concern is in the way."""
        super().press()

    def asked_of(self, answer: Left | RagdeskError | None) -> Sequence[object]:
        return (answer, getattr(answer, "judging", None))


class ExperimentForm(KnownForm[Plan]):
    """Shows what the arms take while one chooses, then all arms, before anything is made."""

    def __init__(
        self,
        title: str,
        host: Host,
        parts: Sequence[Pick | Line],
        wanted: Callable[[Values], Wanted],
        changed: Sequence[Field] = (),
    ) -> None:
        """`changed` are the fields of a system that a factor can change."""
        super().__init__(
            title,
            host,
            parts=parts,
            estimate=lambda values: PlanQuery(wanted(values)),
            words=lambda made, _: plan_words(made),
            models_of=lambda values: (OFFLINE,),
            trouble=_trouble,
        )
        self.wanted = wanted
        self._changed = changed

    # Factors

    def on_input_submitted(self, message: Input.Submitted) -> None:
        if message.input.value.strip() or message.input not in self._factor_lines:
            super().on_input_submitted(message)
            return
        rows = [Row(one.key, (Cell(one.key, "strong"), Cell(one.about))) for one in self._changed]
        self.app.push_screen(
            Choose("Change what?", (Column("", 16), Column(minimum=30)), rows),
            lambda key: self._choose_levels(message.input, key),
        )

    @property
    def _factor_lines(self) -> list[Input]:
        return [line for key, line in self.lines.items() if key in FACTORS]

    def _choose_levels(self, line: Input, key: str | None) -> None:
        if key is None:
            return
        field = next(one for one in self._changed if one.key == key)

        def write(levels: Sequence[str] | None) -> None:
            line.value = f"{key}={','.join(levels or ())}"
            line.cursor_position = len(line.value)
            line.focus()

        if not field.choices:
            write(())
            return
        # a stage without its options: one with options belongs to a system of its own
        names = [(name.split()[0], about) for name, about in field.choices]
        rows = named_rows(names)
        rows.append(Row("none", (Cell("none", "strong"), Cell(tr("without it"), "muted"))))
        columns = (Column("", 20), Column(minimum=30))
        self.app.push_screen(Levels(tr("{key}: which values?", key=key), columns, rows, ()), write)

    # Arms before anything is made

    def begin(self, known: Estimate) -> None:
        assert isinstance(known, Plan)

        def decided(is_sure: bool | None) -> None:
            if is_sure:
                super(ExperimentForm, self).begin(known)

        self.app.push_screen(ArmsScreen(self.values["name"], known), decided)


def plan_words(made: Plan) -> list[str]:
    """What the arms take, in sentences; what it costs comes last."""
    sides = tr("sides are drawn when it is made")
    if made.train:
        sides = tr(
            "chosen on {items}, reported on {test:,} others",
            items=plural(made.train, "item"),
            test=made.test,
        )
    words = [f"{plural(made.arms, 'arm')}, {plural(made.predictions, 'answer')}; {sides}."]
    return [*words, *left_words(made)]


def left_words(estimate: ExperimentEstimate) -> list[str]:
    judging = estimate.judging
    said = [] if judging is None else [_judging_words(judging)]
    asked = Estimate.total([one for one in (estimate, judging) if one is not None and one.calls])
    if not asked.calls:
        return [*said, tr("No model is asked.")]
    calls, tokens = calls_words(asked, "")
    if judging is None:
        calls = tr("What arms share counts once: {calls}", calls=calls)
    return [*said, calls, tokens]


def _judging_words(judging: JudgeEstimate) -> str:
    said = tr(
        "Judges give {scores}; golden answers stand in for answers not there yet.",
        scores=plural(judging.scores, "score"),
    )
    if judging.at_least:
        said += tr(" Further calls depend on replies, and are not counted.")
    return said


def _judging_line(value: str) -> Line:
    return Line(JUDGED, "Let judges score", value, "yes or no: those that metrics name", (YES, NO))


def _trouble(values: Values) -> str:
    """Why what is written will not do; empty when it will."""
    if not values["name"]:
        return tr("Give it a name.")
    if trouble := _judging_trouble(values):
        return trouble
    if "how" not in values:
        return ""
    if not any(values[key] for key in FACTORS):
        return tr("Name something to change: Enter on the first factor lists what there is.")
    if values["how"] not in HOWS:
        return tr("A design is {others} or {last}.", others=", ".join(HOWS[:-1]), last=HOWS[-1])
    finalists = values["finalists"]
    if finalists and not is_count(finalists):
        return tr("Finalists are a whole number above 0, or nothing for all arms.")
    return "" if values["metrics"] else tr("Name a metric that chooses, such as f1.")


def _judging_trouble(values: Values) -> str:
    return "" if values.get(JUDGED, NO) in (NO, YES) else tr("Judges score: yes or no.")


def own_wanted(values: Values) -> Wanted:
    """The experiment that is asked for, of values without trouble."""
    return Wanted(
        values["release"],
        values["base"],
        factors=tuple(values[key] for key in FACTORS if values[key]),
        metrics=tuple(values["metrics"].replace(",", " ").split()),
        how=next(how for how in HOWS if how == values["how"]),
        finalists=int(values["finalists"]) if values["finalists"] else None,
        judged=values[JUDGED] == YES,
    )


def _own_form(
    host: Host, known: dict[str, SystemConfig], releases: Sequence[Release]
) -> ExperimentForm:
    hint = tr("Enter: what to change; or top_k=2,4")
    changed = [one for one in system_fields(host.folder, STAGES) if one.key != "description"]
    return ExperimentForm(
        tr("New experiment"),
        host,
        (
            Pick("base", "Base system", [_option(one) for one in known.values()], most_lines=2),
            _release_pick(releases),
            Line("name", "Name", follows=lambda values: f"{values['base']}-{values['release']}"),
            *(
                Line(key, label, hint=hint if key == "factor" else "none")
                for key, label in FACTORS.items()
            ),
            Line("how", "Design", HOWS[0], ", ".join(HOWS), HOWS),
            Line("metrics", "Metrics", "f1", "the first one chooses"),
            Line("finalists", "Finalists", hint="all arms; the best that go on to the test side"),
            _judging_line(NO),
        ),
        own_wanted,
        changed,
    )


def _recipe_form(
    host: Host, recipe: str, known: dict[str, SystemConfig], releases: Sequence[Release]
) -> ExperimentForm:
    read = read_recipe(recipe)
    own = [_option(one) for one in known.values() if not one.is_own]
    bases = [(STAND_IN, tr("{base}, as the recipe takes it", base=read.base)), *own]
    return ExperimentForm(
        read.title,
        host,
        (
            Pick("base", "Base system", bases, most_lines=5),
            _release_pick(releases),
            Line("name", "Name", follows=lambda values: f"{recipe}-{values['release']}"),
            _judging_line(NO),
        ),
        lambda values: Wanted(
            values["release"],
            "" if values["base"] == STAND_IN else values["base"],
            recipe,
            judged=values[JUDGED] == YES,
        ),
    )


def _option(system: SystemConfig) -> tuple[str, str]:
    return system.name, system.description


def _release_pick(releases: Sequence[Release]) -> Pick:
    options = [(release.label, plural(release.items, "item")) for release in releases]
    return Pick("release", "Released dataset", options, most_lines=2)


def new_experiment(host: Host, done: Callable[[str], object]) -> None:
    """Asks which kind, then for the experiment, and has it made and begun; `done` gets its name."""
    rows = [
        Row(OWN, (Cell(tr("of your own"), "strong"), Cell(tr("a base system and what is changed"))))
    ]
    rows += named_rows((name, read_recipe(name).title) for name in recipe_names())

    host.question(
        Choose("Which experiment?", (Column("", 18), Column(minimum=30)), rows),
        lambda kind: _ask(host, kind, done),
    )


def _ask(host: Host, kind: str, done: Callable[[str], object]) -> None:
    releases = read_releases(host)
    if releases is None:
        return
    if not releases:
        ask_release(host, "", lambda _: _ask(host, kind, done))
        return
    try:
        known = systems(host.folder)
        form = (
            _own_form(host, known, releases)
            if kind == OWN
            else _recipe_form(host, kind, known, releases)
        )
    except RagdeskError as error:
        host.show_problem(str(error))
        return

    def decided(values: Values) -> None:
        name = values["name"]
        begin = BeginQuery(name, form.wanted(values), budget_of(values))

        def begun(job: Job) -> None:
            done(name)

        host.ask(tr("making {name}", name=name), begin, begun)

    host.question(form, decided)


def start_experiment(host: Host, name: str, *, judged: bool = False) -> None:
    """Asks for limits, and whether the judges that its metrics name score, then has the job of an
    experiment queued that is made already; `judged` is what is proposed."""
    design = host.read(lambda db: read_design(experiments.get(db, name)))
    if design is None:
        return
    judges = metric_judges(design) if any("/" in metric for metric in design.metrics) else ()

    def asked(values: Values) -> RunExperiment:
        return RunExperiment(
            name, judges if values.get(JUDGED) == YES else (), budget=budget_of(values)
        )

    def words(left: ExperimentEstimate, model: str) -> list[str]:
        said = tr(
            "{arms}, {answers} left.",
            arms=plural(left.arms, "arm"),
            answers=plural(left.predictions, "answer"),
        )
        return [said, *left_words(left)]

    ask_model(
        host,
        lambda: KnownForm[ExperimentEstimate](
            tr("Start experiment {name}", name=name),
            host,
            parts=[_judging_line(YES if judged else NO)] if judges else [],
            estimate=lambda values: LeftQuery(asked(values)),
            words=words,
            models_of=lambda values: (OFFLINE,),
            trouble=_judging_trouble,
        ),
        lambda values: queue_job(host, name, asked(values), lambda job: None),
    )
