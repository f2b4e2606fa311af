"""A view with the one rule of who may still be given which subject to label."""

SQL = """
-- The subjects that a rater is done with: nobody asks them again.
CREATE VIEW label_done AS
SELECT form_key, subject_kind, subject, rater, seq, at FROM label_status
WHERE status IN ('complete', 'excluded');

-- A view takes no parameters. These two take them as the hidden columns of json_each: every query
-- says `rater_json = json_quote(:rater)`, and of open_assignment also `now_json = json_quote(:now)`
-- in seconds since the epoch; without them they have no rows.

-- The samples that a rater may label.
CREATE VIEW open_sample AS
SELECT asking.json AS rater_json, asking.value AS rater, sample.id, sample.name, sample.form_key,
    sample.subject_kind
FROM json_each AS asking CROSS JOIN sample
WHERE closed_at IS NULL
    AND (raters = '[]' OR asking.value IN (SELECT value FROM json_each(sample.raters)));

-- What a rater may be given of them: what they have not done themselves and fewer others than are
-- wanted have done or hold a lease on. A hidden repeat is for the rater of its first, whatever
-- others do; is_due says whether that one is complete.
-- status and seq: how far the rater is with it.
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
            AND lease.until > clock.value
            AND NOT EXISTS (SELECT 1 FROM label_done AS done
                WHERE done.form_key = lease.form_key AND done.subject_kind = lease.subject_kind
                AND done.subject = lease.subject AND done.rater = lease.rater))
    END;
"""
