"""Adds questions with known answers, which raters are given among others and which count apart."""

SQL = """
-- A question whose answer is known: a subject as raters are given it, which ends in #k, so that its
-- labels are no ordinary ones. attention: told to nobody; training: told once it is answered.
CREATE TABLE known_answer (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL CHECK (subject_kind IN ('revision', 'prediction', 'pair')),
    subject TEXT NOT NULL CHECK (subject LIKE '%#k'),
    purpose TEXT NOT NULL CHECK (purpose IN ('attention', 'training')),
    answers TEXT NOT NULL CHECK (json_valid(answers)),
    reason TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source <> ''),
    chosen_by TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (form_key, subject_kind, subject)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER known_answer_is_final BEFORE UPDATE ON known_answer
BEGIN SELECT RAISE(ABORT, 'a known answer is never changed: raters were measured by it'); END;

-- What was mixed into a sample: by which rate and seed.
CREATE TABLE known_mix (
    id INTEGER PRIMARY KEY,
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    rate REAL NOT NULL CHECK (rate > 0 AND rate <= 1),
    seed INTEGER NOT NULL,
    questions INTEGER NOT NULL,
    mixed_by TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;

-- due_after: of a known question, how many subjects of the sample a rater is done with before it
-- comes; null for all others.
ALTER TABLE assignment ADD COLUMN due_after INTEGER CHECK (due_after >= 0);

-- As before; and a known question is open to every rater of its sample who has not labelled its
-- subject otherwise, and due once they are done with as many subjects as it says.
DROP VIEW open_assignment;
CREATE VIEW open_assignment AS
SELECT sample.rater_json, clock.json AS now_json, sample.form_key, sample.subject_kind,
    assignment.subject, sample.id AS sample_id, sample.name AS sample, assignment.ordinal,
    assignment.topic, assignment.task, assignment.repeats, assignment.due_after,
    CASE WHEN due_after IS NOT NULL THEN due_after <= (SELECT coalesce(sum(subjects), 0)
            FROM assignment_tally AS tally WHERE tally.sample_id = sample.id
            AND instr(tally.done_by, sample.rater_json) > 0)
        ELSE assignment.repeats IS NULL OR first.status IS 'complete' END AS is_due,
    first.seq AS first_seq, mine.status, mine.seq
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
    WHEN due_after IS NOT NULL THEN first.status IS NULL
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

-- As before, without the answers to known questions, which are no labels of their subjects.
DROP VIEW v1_labels;
CREATE VIEW v1_labels AS
SELECT label.form_key AS form, label.rater AS rater, label.subject_kind AS subject_kind,
    label.subject AS subject, item.item_key AS item, run.name AS run, prediction.turn AS turn,
    prediction.repeat AS repeat, label.field AS field, label.value AS value, label.at AS at
FROM label_current AS label
LEFT JOIN prediction
    ON label.subject_kind = 'prediction' AND prediction.id = CAST(label.subject AS INTEGER)
LEFT JOIN run ON run.id = prediction.run_id
LEFT JOIN revision ON revision.id = coalesce(prediction.revision_id,
    CASE label.subject_kind WHEN 'revision' THEN CAST(label.subject AS INTEGER) END)
LEFT JOIN item ON item.id = revision.item_id
WHERE label.aspect = 'value' AND label.subject NOT LIKE '%#k';
"""
