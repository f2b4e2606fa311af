"""Adds the adjudicators and the aids of a sample, reasons of rulings, and an order of leases."""

SQL = """
-- adjudicators: who rules on conflicts in it; empty for whoever has not labelled the subject.
-- aids: whether raters may see, before their label, how an answer compares with the golden one.
ALTER TABLE sample ADD COLUMN adjudicators TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(adjudicators));
ALTER TABLE sample ADD COLUMN aids INTEGER NOT NULL DEFAULT 0 CHECK (aids IN (0, 1));

-- Why an adjudicator ruled so; no row where no reason was given.
CREATE TABLE adjudication_reason (
    seq INTEGER PRIMARY KEY REFERENCES label_event (seq),
    reason TEXT NOT NULL CHECK (reason <> '')
) STRICT;
CREATE TRIGGER adjudication_reason_is_final BEFORE UPDATE ON adjudication_reason
BEGIN SELECT RAISE(ABORT, 'a reason is never changed; rule again'); END;

-- No item holds keypoints: the questions about them are asked of nothing that nobody has begun.
UPDATE assignment SET not_applicable = '["keypoint_correctness","keypoint_relevancy"]'
WHERE not_applicable = '[]'
    AND sample_id IN (SELECT id FROM sample WHERE form_key = 'six_questions')
    AND NOT EXISTS (SELECT 1 FROM label_status AS begun WHERE begun.form_key = 'six_questions'
        AND substr(begun.subject, 1, instr(begun.subject || '#', '#') - 1)
        = substr(assignment.subject, 1, instr(assignment.subject || '#', '#') - 1));

-- after: the rater's last event when it was saved, so that no clock says which came later.
ALTER TABLE draft ADD COLUMN after INTEGER NOT NULL DEFAULT 0;
UPDATE draft SET after = coalesce((SELECT max(seq) FROM label_event AS event
    WHERE event.rater = draft.rater AND event.at <= draft.at), 0);

-- number: the order in which leases were taken, by which the latest is found whatever clocks say.
DROP VIEW open_assignment;
CREATE TABLE numbered_lease (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    rater TEXT NOT NULL,
    until REAL NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (form_key, subject_kind, subject, rater)
) STRICT, WITHOUT ROWID;
INSERT INTO numbered_lease SELECT form_key, subject_kind, subject, rater, until,
    row_number() OVER (ORDER BY until) FROM lease;
DROP TABLE lease;
ALTER TABLE numbered_lease RENAME TO lease;

-- What a rater may be given: as before, but a lease that ends later than any can (twice 15 minutes
-- from now) was taken while a clock was ahead, and holds nobody back.
CREATE VIEW open_assignment AS
SELECT sample.rater_json, clock.json AS now_json, sample.form_key, sample.subject_kind,
    assignment.subject, sample.id AS sample_id, sample.name AS sample, assignment.ordinal,
    assignment.topic, assignment.task, assignment.repeats,
    assignment.repeats IS NULL OR first.status IS 'complete' AS is_due, first.seq AS first_seq,
    mine.status, mine.seq
FROM json_each AS clock CROSS JOIN open_sample AS sample
CROSS JOIN assignment ON assignment.sample_id = sample.id
LEFT JOIN label_status AS mine ON mine.form_key = sample.form_key
    AND mine.subject_kind = sample.subject_kind AND mine.subject = assignment.subject
    AND mine.rater = sample.rater
LEFT JOIN label_status AS first ON first.form_key = sample.form_key
    AND first.subject_kind = sample.subject_kind AND first.subject = assignment.repeats
    AND first.rater = sample.rater
WHERE CASE
    WHEN mine.status IN ('complete', 'excluded') THEN FALSE
    WHEN assignment.repeats IS NOT NULL THEN TRUE
    ELSE assignment.raters_wanted >
        (SELECT count(*) FROM label_done AS done
            WHERE done.form_key = sample.form_key AND done.subject_kind = sample.subject_kind
            AND done.subject = assignment.subject AND done.rater <> sample.rater)
        + (SELECT count(*) FROM lease
            WHERE lease.form_key = sample.form_key AND lease.subject_kind = sample.subject_kind
            AND lease.subject = assignment.subject AND lease.rater <> sample.rater
            AND lease.until > clock.value AND lease.until <= clock.value + 1800
            AND NOT EXISTS (SELECT 1 FROM label_done AS done
                WHERE done.form_key = lease.form_key AND done.subject_kind = lease.subject_kind
                AND done.subject = lease.subject AND done.rater = lease.rater))
    END;
"""
