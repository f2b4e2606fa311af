"""Adds items that people author in steps, and gives each step to who may do it next."""

SQL = """
-- An item that is authored: a question is written, answered, and vetted, each by somebody else.
-- revision_id: its first text, which names the documents that were given; labels are about it.
-- form_key: of the step that is due; null once it is vetted or was skipped.
-- rater: who is to do it, since it was sent back; null for whoever may.
-- All but the first two follow from the labels.
CREATE TABLE authored (
    revision_id INTEGER PRIMARY KEY REFERENCES revision (id),
    item_id INTEGER NOT NULL UNIQUE REFERENCES item (id),
    form_key TEXT,
    rater TEXT,
    writer TEXT,
    answerer TEXT
) STRICT;

-- As before; and a step of an authored item is open to raters of its sample while it is due, but
-- for who did an earlier step of the item, and while nobody else has it before them.
DROP VIEW open_assignment;
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
LEFT JOIN authored ON sample.form_key LIKE 'authoring\\_%' ESCAPE '\\'
    AND authored.revision_id = CAST(assignment.subject AS INTEGER)
WHERE CASE
    WHEN authored.revision_id IS NOT NULL THEN authored.form_key IS sample.form_key
        AND coalesce(authored.rater, sample.rater) = sample.rater
        AND (sample.form_key = 'authoring_question' OR sample.rater IS NOT authored.writer)
        AND (sample.form_key <> 'authoring_vetting' OR sample.rater IS NOT authored.answerer)
        AND NOT EXISTS (SELECT 1 FROM lease
            WHERE lease.form_key = sample.form_key AND lease.subject_kind = sample.subject_kind
            AND lease.subject = assignment.subject AND lease.rater <> sample.rater
            AND lease.until > clock.value AND lease.until <= clock.value + 1800)
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
