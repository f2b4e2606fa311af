"""Attention and training questions: chosen from labels that are settled, mixed into samples."""

from __future__ import annotations

import random
import sqlite3
from itertools import groupby

from msgspec import Struct

from engine.labelling.drawing.sampling import Cell, cell_of
from engine.labelling.forms import find_form
from store.errors import InputError, UsageError
from store.labels import consensus, forms, standing, statistics
from store.labels.forms import Form, Value, is_complete
from store.labels.log import reading
from store.labels.log.authoring import is_authoring
from store.labels.log.events import Subject
from store.labels.samples import known, samples
from store.labels.samples.known import KnownAnswer, Purpose
from store.labels.samples.samples import Assignment, Candidate
from store.workspace import Workspace

ADJUDICATED = "adjudicated"


class GoldRequest(Struct, frozen=True):
    """Which settled subjects become questions with known answers."""

    form: str
    purpose: Purpose
    source: str = ADJUDICATED
    """`adjudicated`, or the rater whose imported labels are the answers."""
    subjects: tuple[str, ...] = ()
    """Their numbers; empty for a draw of `number`."""
    number: int = 0
    seed: int = 0
    reason: str = ""
    """Told with each answer; empty for what those who ruled or labelled said."""


class MixRequest(Struct, frozen=True):
    """How known questions are mixed into a sample."""

    sample: str
    rate: float
    """Of the sample's subjects, above 0, at most 1: 0.1 is one after every ten on average."""
    seed: int = 0
    purpose: Purpose | None = None
    """Of one kind only; null for both."""


class Mixed(Struct, frozen=True):
    """What was mixed in."""

    sample: str
    added: int
    questions: int
    """Known questions that the sample has now."""
    subjects: int
    lacking: int
    """How many more the rate asks for than there are known questions."""


class Gold(Struct, frozen=True):
    """A subject whose answer is settled."""

    subject: Subject
    answers: dict[str, Value]
    reason: str


def gold(db: sqlite3.Connection, form: Form, source: str) -> list[Gold]:
    """The subjects whose answers are settled and which are not known questions yet: of which
    somebody ruled on a field and nothing is in conflict, or which a rater's import completed."""
    taken = {one.subject.base for one in known.listing(db, form.key)}
    found = _adjudicated(db, form) if source == ADJUDICATED else _imported(db, form, source)
    return [one for one in found if one.subject.base not in taken]


def choose_gold(workspace: Workspace, request: GoldRequest, chosen_by: str) -> list[KnownAnswer]:
    """Makes settled subjects questions with known answers; returns those. Raises NotFound for an
    unknown form, UsageError for a request that says neither which nor how many, InputError for
    subjects whose answers are not settled."""
    form = find_form(workspace.db, request.form)
    if is_authoring(form.key):
        raise UsageError(f"Form {form.key!r} is a step of authoring.", "It has no known answers.")
    if bool(request.subjects) == (request.number > 0):
        raise UsageError("No subject is named.", "Name subjects, or say how many.", "--number N")
    with workspace.write(durable=True) as db:
        settled = {one.subject.id: one for one in gold(db, form, request.source)}
        missing = [one for one in request.subjects if one not in settled]
        if missing or len(settled) < request.number:
            raise InputError(
                f"{', '.join(missing)} of {request.source} cannot be known questions."
                if missing
                else f"{len(settled):,} subjects can be known questions, not {request.number:,}.",
                "Rule on more subjects, or import labels.",
                "ragdesk known list",
            )
        chosen = list(request.subjects)
        if not chosen:
            pool = sorted(settled, key=lambda subject: (len(subject), subject))
            chosen = sorted(random.Random(request.seed).sample(pool, request.number))
        forms.register(db, form)
        for subject in chosen:
            one = settled[subject]
            known.put(
                db,
                form.key,
                one.subject,
                request.purpose,
                one.answers,
                reason=request.reason or one.reason,
                source=request.source,
                chosen_by=chosen_by,
            )
        wanted = set(chosen)
        return [one for one in known.listing(db, form.key) if one.subject.base in wanted]


def mix(workspace: Workspace, request: MixRequest, mixed_by: str) -> Mixed:
    """Mixes known questions into an open sample, one to every 1 / rate of its subjects, at a place
    of each such stretch that the seed chooses; what it holds already counts. Subjects that the
    sample asks about anyway are left out. Raises NotFound for an unknown sample, Conflict for a
    closed one, UsageError for a rate that is none, InputError where there is nothing to mix in."""
    if not 0 < request.rate <= 1:
        raise UsageError("The rate is above 0, and at most 1.", "0.1 is one to ten subjects.")
    with workspace.write(durable=True) as db:
        sample = samples.get(db, request.sample)
        samples.check_open(sample)
        form = find_form(db, sample.form_key)
        taken = samples.taken(db, sample)
        places = {one.subject: one for one in taken}
        held = known.mixed_into(db, sample)
        pool = [
            one
            for one in known.listing(db, form.key)
            if request.purpose in (None, one.purpose)
            and one.subject.base not in places
            and one.subject.id not in held
        ]
        wanted = round(request.rate * len(taken)) - len(held)
        if wanted < 1 or not pool:
            raise InputError(
                f"Sample {sample.name!r} has its {len(held):,} known questions already."
                if wanted < 1
                else f"There is no known question for sample {sample.name!r}.",
                "Make questions of labels that are settled first.",
                "ragdesk known choose",
            )
        random_ = random.Random(f"known {request.seed}")
        chosen = random_.sample(pool, min(wanted, len(pool)))
        due = _places(len(held), len(chosen), request.rate, random_)
        lines = statistics.lines(db, form, [_base(one) for one in chosen])
        cells = sorted({cell_of(one) for one in taken})
        rows = []
        for one, line, due_after in zip(chosen, lines, due, strict=True):
            # a cell that the sample has not would tell the question
            own = (line.topic, line.task)
            cell = own if own in cells else random_.choice(cells)
            rows.append(_assignment(form, one, cell, due_after))
        samples.add(db, sample, rows)
        known.add_mix(db, sample, request.rate, request.seed, len(rows), mixed_by)
    lacking = wanted - len(rows)
    return Mixed(sample.name, len(rows), len(held) + len(rows), len(taken), lacking)


def _places(held: int, count: int, rate: float, random_: random.Random) -> list[int]:
    """After how many subjects each question comes: one in each stretch of 1 / rate, the first
    `held` of which have one."""
    return [int((at + random_.random()) / rate) for at in range(held, held + count)]


def _assignment(form: Form, one: KnownAnswer, cell: Cell, due_after: int) -> Assignment:
    required = (needed.field for needed in form.complete if needed.when is None)
    unasked = tuple(key for key in required if key not in one.answers)
    candidate = Candidate(one.subject.id, *cell, not_applicable=unasked)
    return Assignment(candidate, repeats=one.subject.base, due_after=due_after)


def _base(one: KnownAnswer) -> Subject:
    return Subject(one.subject.kind, one.subject.base)


def _adjudicated(db: sqlite3.Connection, form: Form) -> list[Gold]:
    asked = {field.key for field in form.fields if field.kind in ("scale", "choice")}
    found = []
    for subject, group in groupby(consensus.settled(db, form), key=lambda one: one.subject):
        fields = [one for one in group if one.field in asked]
        answers = {one.field: one.value for one in fields if one.value is not None}
        unasked = reading.sampled(db, form.key, subject).not_applicable
        if (
            len(answers) == len(fields)
            and any(one.source == "adjudicated" for one in fields)
            and is_complete(form, answers, unasked)
        ):
            reasons = dict.fromkeys(one.reason for one in fields if one.reason)
            found.append(Gold(subject, answers, " ".join(reasons)))
    return found


def _imported(db: sqlite3.Connection, form: Form, rater: str) -> list[Gold]:
    asked = {field.key for field in form.fields if field.kind in ("scale", "choice")}
    return [
        Gold(
            row.subject,
            {field: value for field, value in row.values.items() if field in asked},
            row.comment,
        )
        for row in standing.rows(db, form.key)
        if row.rater == rater
        and row.origin == "import"
        and row.status == "complete"
        and not row.subject.is_repeat
    ]
