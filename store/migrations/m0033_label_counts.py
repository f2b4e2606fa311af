"""Adds what is counted of labels, kept by triggers: who is done with what, and what differs."""

_DONE = "status IN ('complete', 'excluded')"
_COMPLETE = "status = 'complete'"
_COLUMNS = ("form_key", "subject_kind", "subject")


def _is(*values: str) -> str:
    """SQL that is true of the rows of a subject, whose form, kind and name are given as SQL."""
    return " AND ".join(
        f"{column} = {value}" for column, value in zip(_COLUMNS, values, strict=True)
    )


def _is_of(row: str) -> str:
    return _is(*(f"{row}.{column}" for column in _COLUMNS))


def _raters(row: str, rule: str) -> str:
    """SQL of the raters of a subject whose status follows a rule, sorted, as a JSON list."""
    return (
        "(SELECT json_group_array(rater) FROM (SELECT rater FROM label_status WHERE"
        f" {_is_of(row)} AND {rule} ORDER BY rater))"
    )


def _on_status(name: str, event: str, row: str, rule: str) -> str:
    return f"""
CREATE TRIGGER label_status_{name} AFTER {event} ON label_status WHEN {rule}
BEGIN {_FOLLOW.format(row=row)} {_compare(_is_of(row))} END;
"""


def _compare(rule: str) -> str:
    """SQL that derives anew on which fields the complete raters of a subject differ, where nobody
    has ruled. A ruling holds as long as the labels are among those that it weighed."""
    return f"""
    DELETE FROM label_conflict WHERE {rule};
    INSERT INTO label_conflict SELECT form_key, subject_kind, subject, field FROM label_compared
    WHERE {rule} AND (SELECT json_array_length(complete_by) > 1 FROM label_subject WHERE {rule})
    GROUP BY field HAVING count(DISTINCT content) > 1 AND field NOT IN (
        SELECT ruling.field FROM (SELECT * FROM label_ruling WHERE {rule}) AS ruling
        JOIN (SELECT * FROM label_compared WHERE {rule}) AS label USING (field)
        LEFT JOIN adjudication_basis AS basis
            ON basis.seq = ruling.seq AND basis.weighed = label.seq
        GROUP BY ruling.seq HAVING count(*) = count(basis.weighed));
"""


_FOLLOW = f"""
    INSERT INTO label_subject VALUES ({{row}}.form_key, {{row}}.subject_kind, {{row}}.subject,
        {_raters("{row}", _DONE)},
        {_raters("{row}", _COMPLETE)})
    ON CONFLICT DO UPDATE SET done_by = excluded.done_by, complete_by = excluded.complete_by;
"""
_UNDONE = ("(SELECT key FROM form WHERE id = NEW.form_id)", "NEW.subject_kind", "NEW.subject")
_WEIGHED = tuple(
    f"(SELECT {column} FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq)"
    for column in ("key", "subject_kind", "subject")
)
_COUNT = """
    INSERT INTO {table} SELECT {key}, {change} WHERE {rule}
    ON CONFLICT DO UPDATE SET subjects = subjects + excluded.subjects;
"""


def _count_assignment(row: str, change: int) -> str:
    columns = ("sample_id", "topic", "task", "raters_wanted", "done_by")
    key = ", ".join(f"{row}.{column}" for column in columns)
    rule = f"{row}.repeats IS NULL"
    return _COUNT.format(table="assignment_tally", key=key, change=change, rule=rule)


def _count_subject(row: str, change: int) -> str:
    key, rule = f"{row}.form_key, {row}.complete_by", f"instr({row}.subject, '#') = 0"
    return _COUNT.format(table="label_tally", key=key, change=change, rule=rule)


SQL = f"""
-- Of each subject that somebody has begun: who is done with it, and who has completed it, as sorted
-- JSON lists of raters. Derived from label_status by the triggers below, like all that is here.
CREATE TABLE label_subject (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    done_by TEXT NOT NULL CHECK (json_valid(done_by)),
    complete_by TEXT NOT NULL CHECK (json_valid(complete_by)),
    PRIMARY KEY (form_key, subject_kind, subject)
) STRICT, WITHOUT ROWID;

-- How many subjects of a form the same raters have completed, hidden repeats apart.
CREATE TABLE label_tally (
    form_key TEXT NOT NULL,
    complete_by TEXT NOT NULL,
    subjects INTEGER NOT NULL,
    PRIMARY KEY (form_key, complete_by)
) STRICT, WITHOUT ROWID;

-- done_by: who is done with the subject of an assignment. How many of a cell of a sample the same
-- raters are done with, hidden repeats apart.
ALTER TABLE assignment ADD COLUMN done_by TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(done_by));
CREATE INDEX assignment_done ON assignment (sample_id, topic, task, done_by, ordinal)
    WHERE repeats IS NULL;
CREATE INDEX assignment_repeats ON assignment (sample_id, repeats) WHERE repeats IS NOT NULL;
CREATE TABLE assignment_tally (
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    raters_wanted INTEGER NOT NULL,
    done_by TEXT NOT NULL,
    subjects INTEGER NOT NULL,
    PRIMARY KEY (sample_id, topic, task, raters_wanted, done_by)
) STRICT, WITHOUT ROWID;

CREATE INDEX label_status_begun ON label_status (form_key, rater, subject)
    WHERE status IN ('partial', 'postponed');
CREATE INDEX label_status_complete ON label_status (form_key, seq)
    WHERE status = 'complete';
CREATE INDEX label_status_at ON label_status (form_key, rater, at);
CREATE INDEX item_discarded ON item (id) WHERE state = 'discarded';
CREATE INDEX label_event_adjudication ON label_event (subject_kind, subject)
    WHERE kind = 'adjudicate';

-- The standing rulings of adjudicators.
CREATE VIEW label_ruling AS
SELECT form_key, subject_kind, subject, field, rater, value, max(seq) AS seq FROM label_effective
WHERE kind = 'adjudicate' GROUP BY form_key, subject_kind, subject, field, rater;

-- The values of complete raters that can differ, with what is compared of them: of a correction
-- its text. Texts and spans are never equal.
CREATE VIEW label_compared AS
SELECT label.form_key, label.subject_kind, label.subject, label.field, label.rater, label.seq,
    CASE WHEN kind.value = 'revision'
        THEN (SELECT content_hash FROM revision WHERE id = label.value)
        ELSE label.value END AS content
FROM label_current AS label
JOIN label_status AS status USING (form_key, subject_kind, subject, rater)
JOIN form ON form.id = label.form_id
JOIN json_each(form.content, '$.fields') AS asked
    ON json_extract(asked.value, '$.key') = label.field
JOIN json_each(asked.value) AS kind ON kind.key = 'kind'
WHERE label.aspect = 'value' AND status.status = 'complete'
    AND kind.value IN ('scale', 'choice', 'flag', 'revision') AND instr(label.subject, '#') = 0;

-- The fields of a subject on which its complete raters differ and nobody has ruled.
CREATE TABLE label_conflict (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    field TEXT NOT NULL,
    PRIMARY KEY (form_key, subject_kind, subject, field)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER label_subject_begins AFTER INSERT ON label_subject BEGIN
    {_count_subject("NEW", 1)}
    UPDATE assignment SET done_by = NEW.done_by WHERE subject = NEW.subject AND sample_id IN
        (SELECT id FROM sample WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind);
END;
CREATE TRIGGER label_subject_changes AFTER UPDATE ON label_subject
WHEN OLD.done_by <> NEW.done_by OR OLD.complete_by <> NEW.complete_by BEGIN
    {_count_subject("OLD", -1)}
    {_count_subject("NEW", 1)}
    UPDATE assignment SET done_by = NEW.done_by WHERE subject = NEW.subject AND sample_id IN
        (SELECT id FROM sample WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind);
END;
CREATE TRIGGER assignment_begins AFTER INSERT ON assignment BEGIN
    {_count_assignment("NEW", 1)}
    UPDATE assignment SET done_by = coalesce((SELECT label_subject.done_by FROM sample
        JOIN label_subject USING (form_key, subject_kind)
        WHERE sample.id = NEW.sample_id AND label_subject.subject = NEW.subject), '[]')
    WHERE sample_id = NEW.sample_id AND ordinal = NEW.ordinal;
END;
CREATE TRIGGER assignment_changes AFTER UPDATE OF done_by ON assignment
WHEN OLD.done_by <> NEW.done_by BEGIN
    {_count_assignment("OLD", -1)}
    {_count_assignment("NEW", 1)}
END;
{_on_status("begins", "INSERT", "NEW", "TRUE")}
{_on_status("changes", "UPDATE", "NEW", "OLD.status <> NEW.status OR NEW.status = 'complete'")}
{_on_status("ends", "DELETE", "OLD", "TRUE")}
CREATE TRIGGER label_event_undoes AFTER INSERT ON label_event WHEN NEW.kind IN ('undo', 'redo')
BEGIN {_compare(_is(*_UNDONE))} END;
CREATE TRIGGER adjudication_weighs AFTER INSERT ON adjudication_basis
BEGIN {_compare(_is(*_WEIGHED))} END;

INSERT INTO assignment_tally SELECT sample_id, topic, task, raters_wanted, done_by, count(*)
FROM assignment WHERE repeats IS NULL GROUP BY 1, 2, 3, 4, 5;
INSERT INTO label_subject SELECT form_key, subject_kind, subject, {_raters("begun", _DONE)},
    {_raters("begun", _COMPLETE)}
FROM (SELECT DISTINCT form_key, subject_kind, subject FROM label_status) AS begun;
UPDATE label_status SET seq = seq WHERE status = 'complete' AND rater = (SELECT max(rater)
    FROM label_status AS last WHERE last.form_key = label_status.form_key
    AND last.subject_kind = label_status.subject_kind AND last.subject = label_status.subject
    AND last.status = 'complete');
"""
