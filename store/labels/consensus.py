"""What raters agree and differ on, and adjudication with its grounds."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct, structs

from store.errors import Conflict, InputError, NotFound
from store.hashing import canonical_json
from store.labels.forms import Form, StoredForm, Value
from store.labels.log import log, reading
from store.labels.log.events import EventKind, Subject
from store.labels.samples import queue, samples

Source = Literal["single", "unanimous", "adjudicated", "conflict"]


class RaterValue(Struct, frozen=True):
    rater: str
    value: Value
    seq: int


class Settled(Struct, frozen=True):
    """What holds of one field of a subject, and how it came about."""

    subject: Subject
    field: str
    value: Value | None
    """Null in a conflict."""
    source: Source
    raters: tuple[RaterValue, ...]
    adjudicator: str = ""
    reason: str = ""
    """Of the ruling, where the adjudicator gave one."""

    def without_names(self, names: Mapping[str, str] | None = None) -> Settled:
        """The same with `names` of the raters, by default `rater 1` and so on, in place of their
        own: who rules is not told whose labels they are."""
        known = names or numbered([self])
        raters = (structs.replace(one, rater=known[one.rater]) for one in self.raters)
        return structs.replace(self, raters=tuple(raters))


class PlacedConflict(Struct, frozen=True):
    """A conflict, and what it is about."""

    conflict: Settled
    topic: str
    task: str
    item_key: str
    question: str
    """Of an answer the question that it answers; of an item its last."""


class LabelCount(Struct, frozen=True):
    """What people have labelled with a form."""

    form: str
    raters: int
    """Who has completed a subject."""
    subjects: int
    """Subjects that somebody has completed, hidden repeats apart."""
    shared: int
    """Those that two or more have completed."""
    conflicts: int
    to_rule: int
    """Of these, what the rater who asks may rule on."""
    seq: int
    """Number of the last event of a completed subject, or of a ruling: another one means that what
    is computed of labels has changed."""


_DIFFERING = (
    " AND (c.subject_kind, c.subject, c.field) IN"
    " (SELECT subject_kind, subject, field FROM label_conflict WHERE form_key = ?)"
)
_COMPARED = ("scale", "choice", "flag", "revision")
"""Kinds of field whose values raters can differ on; texts and spans are never equal."""


def numbered(fields: Iterable[Settled]) -> dict[str, str]:
    """The raters of some fields of one subject by numbers: `rater 1`, `rater 2`."""
    raters = sorted({one.rater for field in fields for one in field.raters})
    return {rater: f"rater {number}" for number, rater in enumerate(raters, 1)}


def settled(
    db: sqlite3.Connection, form: Form, *, subject: Subject | None = None, differing: bool = False
) -> list[Settled]:
    """What holds of every field that a rater with a complete subject has set, by subject and field.

    Corrections are compared by their content. An adjudication holds as long as the raters' labels
    are those that it weighed. Hidden repeats are left out. With `differing` only the conflicts.
    """
    fields = [field.key for field in form.fields if field.kind in _COMPARED]
    marks = ",".join("?" * len(fields))
    rows = db.execute(
        "SELECT c.subject_kind, c.subject, c.field, c.rater, c.value, c.seq FROM label_current AS c"
        " JOIN label_status AS s USING (form_key, subject_kind, subject, rater)"
        " WHERE c.form_key = ? AND c.aspect = 'value' AND s.status = 'complete'"
        f" AND c.field IN ({marks}) AND instr(c.subject, '#') = 0"
        + (" AND c.subject = ?" if subject is not None else "")
        + (_DIFFERING if differing else "")
        + " ORDER BY c.subject_kind, CAST(c.subject AS INTEGER), c.subject, c.field, c.rater",
        (
            form.key,
            *fields,
            *((subject.id,) if subject is not None else ()),
            *((form.key,) if differing else ()),
        ),
    ).fetchall()
    rulings = _rulings(db, form)
    out = []
    for (kind, name, field), group in groupby(rows, key=lambda row: row[:3]):
        given = tuple(RaterValue(rater, _decode(value), seq) for *_, rater, value, seq in group)
        place = Subject(kind, name)
        out.append(_settle(db, form, place, field, given, rulings.get((place, field), [])))
    return out


def conflicts(db: sqlite3.Connection, form: Form) -> list[Settled]:
    """The queue of adjudication: fields on which raters differ and nobody has ruled."""
    return settled(db, form, differing=True)


def majority(given: Sequence[RaterValue]) -> Value | None:
    """What more than half of the raters say; null where there is none."""
    value, votes = Counter(one.value for one in given).most_common(1)[0]
    return value if 2 * votes > len(given) else None


def adjudicate(
    db: sqlite3.Connection,
    form: StoredForm,
    adjudicator: str,
    subject: Subject,
    field: str,
    value: Any,
    *,
    reason: str = "",
    allow_own: bool = False,
    active_ms: int | None = None,
) -> int:
    """Rules on a field of a subject; returns the event's number. The labels that it weighs are
    kept with it, and the `reason` unless it is blank.

    Refused with Conflict for anybody but the adjudicators where a sample that holds the subject
    names some, and by default for a rater of the subject: a third person rules.
    """
    weighed = db.execute(
        "SELECT rater, seq FROM label_current WHERE form_key = ? AND subject_kind = ?"
        " AND subject = ? AND field = ? AND aspect = 'value' ORDER BY seq",
        (form.form.key, subject.kind, subject.id, field),
    ).fetchall()
    if not weighed:
        form.form.field(field)
        raise InputError(f"Nobody has labelled {field!r} of {subject.kind} {subject.id}.")
    named = _adjudicators(db, form.form.key, [subject]).get(subject.base, frozenset())
    if named and adjudicator not in named:
        raise Conflict(
            f"{adjudicator} is no adjudicator of {subject.kind} {subject.id}.",
            f"Its samples name {', '.join(sorted(named))}.",
            "ragdesk sample adjudicators",
        )
    if not allow_own and reading.values(db, form.form.key, adjudicator, subject):
        raise Conflict(
            f"{adjudicator} has labelled {subject.kind} {subject.id}, and does not rule on it.",
            "Let a third person adjudicate.",
            "or ragdesk adjudicate set --allow-own",
        )
    written = log.append(
        db, form, adjudicator, subject, field, value, kind=EventKind.ADJUDICATE, active_ms=active_ms
    )
    db.executemany(
        "INSERT INTO adjudication_basis (seq, weighed) VALUES (?, ?)",
        ((written.seq, label) for _, label in weighed),
    )
    if reason.strip():
        db.execute(
            "INSERT INTO adjudication_reason (seq, reason) VALUES (?, ?)",
            (written.seq, reason.strip()),
        )
    return written.seq


def reasons(db: sqlite3.Connection) -> dict[int, str]:
    """The reasons that adjudicators gave, by the number of the ruling's event."""
    return dict(db.execute("SELECT seq, reason FROM adjudication_reason").fetchall())


class _Ruling(NamedTuple):
    adjudicator: str
    value: Value
    weighed: frozenset[int]
    reason: str


def _rulings(db: sqlite3.Connection, form: Form) -> dict[tuple[Subject, str], list[_Ruling]]:
    """Standing adjudications with the labels that they weighed, latest first."""
    rows = db.execute(
        "SELECT subject_kind, subject, field, rater, value, (SELECT group_concat(weighed)"
        "   FROM adjudication_basis WHERE adjudication_basis.seq = label_current.seq), coalesce(("
        "   SELECT reason FROM adjudication_reason AS r WHERE r.seq = label_current.seq), '')"
        " FROM label_current WHERE form_key = ? AND aspect = 'adjudicate' ORDER BY seq DESC",
        (form.key,),
    )
    out: dict[tuple[Subject, str], list[_Ruling]] = {}
    for kind, subject, field, rater, value, weighed, reason in rows:
        grounds = frozenset(int(seq) for seq in (weighed or "").split(",") if seq)
        ruling = _Ruling(rater, _decode(value), grounds, reason)
        out.setdefault((Subject(kind, subject), field), []).append(ruling)
    return out


def _settle(
    db: sqlite3.Connection,
    form: Form,
    subject: Subject,
    field: str,
    given: tuple[RaterValue, ...],
    rulings: Iterable[_Ruling],
) -> Settled:
    now = {one.seq for one in given}
    for one in rulings:
        if now <= one.weighed:
            who, why = one.adjudicator, one.reason
            return Settled(subject, field, one.value, "adjudicated", given, who, why)
    if len(given) == 1:
        return Settled(subject, field, given[0].value, "single", given)
    is_text = form.field(field).kind == "revision"
    if len({_compared(db, one.value, is_text) for one in given}) == 1:
        return Settled(subject, field, given[0].value, "unanimous", given)
    return Settled(subject, field, None, "conflict", given)


def _compared(db: sqlite3.Connection, value: Value, is_text: bool) -> object:
    if not is_text:
        # with its type, since 1 == True
        return (type(value), value)
    return db.execute("SELECT content_hash FROM revision WHERE id = ?", (value,)).fetchone()


def _decode(text: str) -> Any:
    return msgspec.json.decode(text)


# Conflicts with their places, and how much of them there is by form


def signature(db: sqlite3.Connection) -> tuple[int | str, ...]:
    """Values that change when a subject is completed, changed, reopened or ruled on, and when
    others may rule."""
    return tuple(
        db.execute(
            "SELECT (SELECT coalesce(sum(subjects * json_array_length(complete_by)), 0)"
            "  FROM label_tally), (SELECT coalesce(max(last), 0) FROM (SELECT (SELECT max(seq)"
            "   FROM label_status AS s WHERE s.form_key = t.form_key AND status = 'complete')"
            "   AS last FROM label_tally AS t)), (SELECT count(*) FROM label_ruling),"
            " (SELECT coalesce(max(seq), 0) FROM label_ruling),"
            " (SELECT coalesce(group_concat(id || adjudicators), '') FROM sample"
            "  WHERE adjudicators <> '[]')"
        ).fetchone()
    )


def placed_conflicts(
    db: sqlite3.Connection, form: Form, *, sample: str | None = None
) -> list[PlacedConflict]:
    """The conflicts of a form, of a sample or of all, in the order of `conflicts`."""
    inside = None
    if sample is not None:
        drawn = samples.taken(db, samples.get(db, sample))
        inside = {candidate.subject for candidate in drawn}
    return [
        _placed(db, form, one)
        for one in conflicts(db, form)
        if inside is None or one.subject.id in inside
    ]


def _placed(db: sqlite3.Connection, form: Form, conflict: Settled) -> PlacedConflict:
    number = conflict.subject.numbers[0]
    if form.subject_kind == "revision":
        join, turn = "revision.id = ?", "(turns - 1)"
    else:
        join = "revision.id = (SELECT revision_id FROM prediction WHERE id = ?1)"
        turn = "(SELECT turn FROM prediction WHERE id = ?1)"
    row = db.execute(
        "SELECT topic, task, item_key,"
        f" json_extract(content, '$.turns[' || {turn} || '].question')"
        f" FROM revision JOIN item ON item.id = revision.item_id WHERE {join}",
        (number,),
    ).fetchone()
    if row is None:
        raise NotFound(f"{conflict.subject.kind} {conflict.subject.id} is gone.")
    return PlacedConflict(conflict, *row)


def to_rule(db: sqlite3.Connection, form: Form, rater: str) -> list[Settled]:
    """The conflicts that a rater may rule on, see `may_rule`."""
    return may_rule(db, form.key, rater, conflicts(db, form))


def may_rule(
    db: sqlite3.Connection,
    form_key: str,
    rater: str,
    differing: Sequence[Settled],
    *,
    allow_own: bool = False,
) -> list[Settled]:
    """Of the conflicts of a form those that a rater may rule on, in their order: where a sample
    that holds the subject names adjudicators, only they; elsewhere nobody who may still be given
    it to label, since own work comes first; and, unless `allow_own`, nobody who has given the
    subject a value."""
    subjects = {one.subject for one in differing}
    allowed = _may_rule(db, form_key, rater, subjects, allow_own=allow_own)
    return [one for one in differing if one.subject in allowed]


def _may_rule(
    db: sqlite3.Connection,
    form_key: str,
    rater: str,
    subjects: set[Subject],
    *,
    allow_own: bool = False,
) -> set[Subject]:
    foreign = subjects if allow_own else subjects - _labelled(db, form_key, rater, subjects)
    named = _adjudicators(db, form_key, foreign)
    free = {one for one in foreign if one.base not in named}
    waiting = queue.open_among(db, form_key, rater, free)
    return {one for one in foreign if rater in named.get(one.base, ())} | (free - waiting)


def _labelled(
    db: sqlite3.Connection, form_key: str, rater: str, subjects: Iterable[Subject]
) -> set[Subject]:
    """Those of some subjects that a rater has given a value."""
    rows = db.execute(
        "SELECT subject_kind, subject, status FROM json_each(?1) AS one CROSS JOIN label_status"
        " ON form_key = ?2 AND subject_kind = json_extract(one.value, '$[0]')"
        " AND subject = json_extract(one.value, '$[1]') AND rater = ?3",
        (canonical_json([[one.kind, one.id] for one in subjects]).decode(), form_key, rater),
    )
    begun = [(Subject(kind, subject), status) for kind, subject, status in rows]
    return {
        subject
        for subject, status in begun
        if status == "complete" or reading.values(db, form_key, rater, subject)
    }


def _adjudicators(
    db: sqlite3.Connection, form_key: str, subjects: Iterable[Subject]
) -> dict[str, frozenset[str]]:
    """The adjudicators that samples of a form name for some subjects, by subject; subjects without
    are absent."""
    named: dict[str, set[str]] = {}
    for subject, name in db.execute(
        "SELECT DISTINCT subject, named.value FROM sample JOIN json_each(adjudicators) AS named"
        " JOIN assignment ON sample_id = sample.id WHERE form_key = ?"
        " AND subject IN (SELECT value FROM json_each(?))",
        (form_key, canonical_json(sorted({one.base for one in subjects})).decode()),
    ):
        named.setdefault(subject, set()).add(name)
    return {subject: frozenset(names) for subject, names in named.items()}


def label_counts(db: sqlite3.Connection, rater: str = "") -> tuple[LabelCount, ...]:
    """By key, every form that somebody has completed a subject with. `rater` is who asks."""
    rows = db.execute(
        "SELECT form_key, (SELECT count(DISTINCT value) FROM label_tally AS t"
        "  JOIN json_each(complete_by) WHERE t.form_key = tally.form_key AND t.subjects > 0),"
        " sum(subjects), sum(subjects * (json_array_length(complete_by) > 1)),"
        " max((SELECT coalesce(max(seq), 0) FROM label_status AS s"
        "   WHERE s.form_key = tally.form_key AND status = 'complete'),"
        "  (SELECT coalesce(max(seq), 0) FROM label_ruling AS r"
        "   WHERE r.form_key = tally.form_key))"
        " FROM label_tally AS tally WHERE subjects > 0 AND complete_by <> '[]'"
        " GROUP BY form_key ORDER BY form_key"
    ).fetchall()
    out = []
    for key, raters, subjects, shared, seq in rows:
        differing = {
            Subject(kind, subject): count
            for kind, subject, count in db.execute(
                "SELECT subject_kind, subject, count(*) FROM label_conflict WHERE form_key = ?"
                " GROUP BY subject_kind, subject",
                (key,),
            )
        }
        own = sum(differing[one] for one in _may_rule(db, key, rater, set(differing)))
        total = sum(differing.values())
        out.append(LabelCount(key, raters, subjects, shared, total, own, seq))
    return tuple(out)
