CREATE TABLE act (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    rater TEXT NOT NULL,
    form_key TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what <> ''),
    wanted TEXT NOT NULL CHECK (json_valid(wanted))
) STRICT;

CREATE TRIGGER act_is_final BEFORE UPDATE ON act
BEGIN SELECT RAISE(ABORT, 'an act is never changed; it is taken back by events'); END;

CREATE INDEX act_rater ON act (rater, id);

CREATE TABLE act_assignment (
    act_id INTEGER NOT NULL REFERENCES act (id),
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    subject TEXT NOT NULL,
    PRIMARY KEY (act_id, sample_id, subject)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER act_assignment_is_final BEFORE UPDATE ON act_assignment
BEGIN SELECT RAISE(ABORT, 'an act is never changed; it is taken back'); END;

CREATE TABLE act_event (
    seq INTEGER PRIMARY KEY REFERENCES label_event (seq),
    act_id INTEGER NOT NULL REFERENCES act (id)
) STRICT;

CREATE INDEX act_event_act ON act_event (act_id);

CREATE TRIGGER act_event_is_final BEFORE UPDATE ON act_event
BEGIN SELECT RAISE(ABORT, 'an event stays with its act'); END;

CREATE TABLE adjudication_basis (
    seq INTEGER NOT NULL REFERENCES label_event (seq),
    weighed INTEGER NOT NULL REFERENCES label_event (seq),
    PRIMARY KEY (seq, weighed)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER adjudication_weighs AFTER INSERT ON adjudication_basis
BEGIN 
    DELETE FROM label_conflict WHERE form_key = (SELECT key FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject_kind = (SELECT subject_kind FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject = (SELECT subject FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq);
    INSERT INTO label_conflict SELECT form_key, subject_kind, subject, field FROM label_compared
    WHERE form_key = (SELECT key FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject_kind = (SELECT subject_kind FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject = (SELECT subject FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND (SELECT json_array_length(complete_by) > 1 FROM label_subject WHERE form_key = (SELECT key FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject_kind = (SELECT subject_kind FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject = (SELECT subject FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq))
    GROUP BY field HAVING count(DISTINCT content) > 1 AND field NOT IN (
        SELECT ruling.field FROM (SELECT * FROM label_ruling WHERE form_key = (SELECT key FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject_kind = (SELECT subject_kind FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject = (SELECT subject FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq)) AS ruling
        JOIN (SELECT * FROM label_compared WHERE form_key = (SELECT key FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject_kind = (SELECT subject_kind FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq) AND subject = (SELECT subject FROM label_event JOIN form ON form.id = form_id WHERE seq = NEW.seq)) AS label USING (field)
        LEFT JOIN adjudication_basis AS basis
            ON basis.seq = ruling.seq AND basis.weighed = label.seq
        GROUP BY ruling.seq HAVING count(*) = count(basis.weighed));
 END;

CREATE TABLE adjudication_reason (
    seq INTEGER PRIMARY KEY REFERENCES label_event (seq),
    reason TEXT NOT NULL CHECK (reason <> '')
) STRICT;

CREATE TRIGGER adjudication_reason_is_final BEFORE UPDATE ON adjudication_reason
BEGIN SELECT RAISE(ABORT, 'a reason is never changed; rule again'); END;

CREATE TABLE assignment (
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    ordinal INTEGER NOT NULL,
    subject TEXT NOT NULL,
    repeats TEXT,
    raters_wanted INTEGER NOT NULL CHECK (raters_wanted > 0),
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    stratum TEXT NOT NULL,
    group_key TEXT NOT NULL,
    not_applicable TEXT NOT NULL CHECK (json_valid(not_applicable)), done_by TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(done_by)), due_after INTEGER CHECK (due_after >= 0),
    PRIMARY KEY (sample_id, ordinal),
    UNIQUE (sample_id, subject)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER assignment_begins AFTER INSERT ON assignment BEGIN
    
    INSERT INTO assignment_tally SELECT NEW.sample_id, NEW.topic, NEW.task, NEW.raters_wanted, NEW.done_by, 1 WHERE NEW.repeats IS NULL
    ON CONFLICT DO UPDATE SET subjects = subjects + excluded.subjects;

    UPDATE assignment SET done_by = coalesce((SELECT label_subject.done_by FROM sample
        JOIN label_subject USING (form_key, subject_kind)
        WHERE sample.id = NEW.sample_id AND label_subject.subject = NEW.subject), '[]')
    WHERE sample_id = NEW.sample_id AND ordinal = NEW.ordinal;
END;

CREATE TRIGGER assignment_changes AFTER UPDATE OF done_by ON assignment
WHEN OLD.done_by <> NEW.done_by BEGIN
    
    INSERT INTO assignment_tally SELECT OLD.sample_id, OLD.topic, OLD.task, OLD.raters_wanted, OLD.done_by, -1 WHERE OLD.repeats IS NULL
    ON CONFLICT DO UPDATE SET subjects = subjects + excluded.subjects;

    
    INSERT INTO assignment_tally SELECT NEW.sample_id, NEW.topic, NEW.task, NEW.raters_wanted, NEW.done_by, 1 WHERE NEW.repeats IS NULL
    ON CONFLICT DO UPDATE SET subjects = subjects + excluded.subjects;

END;

CREATE INDEX assignment_done ON assignment (sample_id, topic, task, done_by, ordinal)
    WHERE repeats IS NULL;

CREATE TRIGGER assignment_ends AFTER DELETE ON assignment WHEN OLD.repeats IS NULL BEGIN
    UPDATE assignment_tally SET subjects = subjects - 1 WHERE sample_id = OLD.sample_id
        AND topic = OLD.topic AND task = OLD.task AND raters_wanted = OLD.raters_wanted
        AND done_by = OLD.done_by;
END;

CREATE INDEX assignment_repeats ON assignment (sample_id, repeats) WHERE repeats IS NOT NULL;

CREATE INDEX assignment_subject ON assignment (subject);

CREATE TABLE assignment_tally (
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    raters_wanted INTEGER NOT NULL,
    done_by TEXT NOT NULL,
    subjects INTEGER NOT NULL,
    PRIMARY KEY (sample_id, topic, task, raters_wanted, done_by)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    judge_id INTEGER NOT NULL REFERENCES judge (id),
    verdict TEXT NOT NULL,
    report TEXT NOT NULL CHECK (json_valid(report)),
    made_at TEXT NOT NULL
) STRICT;

CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'an audit is never changed; audit again'); END;

CREATE TABLE authored (
    revision_id INTEGER PRIMARY KEY REFERENCES revision (id),
    item_id INTEGER NOT NULL UNIQUE REFERENCES item (id),
    form_key TEXT,
    rater TEXT,
    writer TEXT,
    answerer TEXT
) STRICT;

CREATE TABLE chunk (
    chunking_id INTEGER NOT NULL REFERENCES chunking (id),
    document INTEGER NOT NULL REFERENCES document (id),
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL CHECK (end > start),
    tokens INTEGER NOT NULL,
    PRIMARY KEY (chunking_id, document, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE chunking (
    id INTEGER PRIMARY KEY,
    settings_hash TEXT NOT NULL UNIQUE,
    settings TEXT NOT NULL CHECK (json_valid(settings))
) STRICT;

CREATE TABLE corpus (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    chunking_id INTEGER NOT NULL REFERENCES chunking (id),
    created_at TEXT NOT NULL,
    archived_at TEXT
, readings INTEGER NOT NULL DEFAULT 0, sources INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE dataset (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    corpus_id INTEGER NOT NULL REFERENCES corpus (id),
    taxonomy_id INTEGER NOT NULL REFERENCES taxonomy (id),
    created_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;

CREATE TABLE difficulty (
    measure_id INTEGER NOT NULL REFERENCES difficulty_measure (id),
    revision_id INTEGER NOT NULL REFERENCES revision (id),
    turn INTEGER NOT NULL CHECK (turn >= 0),
    rd REAL,
    gd REAL,
    distance REAL,
    PRIMARY KEY (measure_id, revision_id, turn),
    CHECK ((rd IS NULL) = (gd IS NULL) AND (rd IS NULL) = (distance IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX difficulty_revision ON difficulty (revision_id);

CREATE TABLE difficulty_measure (
    id INTEGER PRIMARY KEY,
    dataset_id INTEGER NOT NULL REFERENCES dataset (id),
    embedding TEXT NOT NULL,
    recipe TEXT NOT NULL CHECK (json_valid(recipe)),
    recipe_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (dataset_id, recipe_hash)
) STRICT;

CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    document_id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    lang TEXT NOT NULL CHECK (lang IN ('zh', 'en')),
    chars INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE document_topic (
    taxonomy_key TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES document (id),
    topic TEXT NOT NULL,
    score REAL,
    method TEXT NOT NULL,
    at TEXT NOT NULL, checksum INTEGER, number INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (taxonomy_key, document)
) STRICT, WITHOUT ROWID;

CREATE INDEX document_topic_latest ON document_topic (document, number);

CREATE TABLE draft (
    rater TEXT NOT NULL,
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    field TEXT NOT NULL,
    text TEXT NOT NULL,
    at TEXT NOT NULL, after INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (rater, form_key, subject_kind, subject, field)
) STRICT, WITHOUT ROWID;

CREATE TABLE draw (
    id INTEGER PRIMARY KEY,
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    number INTEGER NOT NULL,
    -- units that came, at once
    wanted INTEGER NOT NULL CHECK (wanted > 0),
    seed INTEGER NOT NULL,
    -- what the chances follow from: what for, metric, judges and their hashes, shares
    rule TEXT NOT NULL CHECK (json_valid(rule)),
    -- of all candidates with their groups, chances and uncertainties
    frame_hash TEXT NOT NULL,
    drawn_at TEXT NOT NULL,
    UNIQUE (sample_id, number)
) STRICT;

CREATE TRIGGER draw_is_final BEFORE UPDATE ON draw
BEGIN SELECT RAISE(ABORT, 'a draw is never changed; draw further'); END;

CREATE TABLE draw_chance (
    draw_id INTEGER NOT NULL REFERENCES draw (id),
    unit TEXT NOT NULL,
    group_key TEXT NOT NULL,
    chance REAL NOT NULL CHECK (chance > 0 AND chance <= 1),
    uncertainty REAL NOT NULL CHECK (uncertainty >= 0),
    verdict REAL,
    place INTEGER,
    PRIMARY KEY (draw_id, unit)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER draw_chance_is_final BEFORE UPDATE ON draw_chance
BEGIN SELECT RAISE(ABORT, 'a chance is never changed: it was known before the label'); END;

CREATE TABLE entity (
    id INTEGER PRIMARY KEY,
    graph_id INTEGER NOT NULL REFERENCES graph (id),
    name TEXT NOT NULL,
    aliases TEXT NOT NULL CHECK (json_valid(aliases)),
    UNIQUE (graph_id, name)
) STRICT;

CREATE TABLE entity_mention (
    entity_id INTEGER NOT NULL REFERENCES entity (id),
    document_id TEXT NOT NULL REFERENCES document (document_id),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    PRIMARY KEY (entity_id, document_id, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX entity_mention_document ON entity_mention (document_id);

CREATE TABLE evolution (
    job_id INTEGER PRIMARY KEY REFERENCES job (id),
    dataset_id INTEGER NOT NULL REFERENCES dataset (id),
    settings TEXT NOT NULL CHECK (json_valid(settings))
) STRICT;

CREATE INDEX evolution_dataset ON evolution (dataset_id);

CREATE TABLE evolution_call (
    job_id INTEGER NOT NULL REFERENCES evolution (job_id),
    call_key TEXT NOT NULL,
    cached INTEGER NOT NULL CHECK (cached IN (0, 1)),
    PRIMARY KEY (job_id, call_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX evolution_call_key ON evolution_call (call_key);

CREATE TABLE experiment (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    release_id INTEGER NOT NULL REFERENCES release (id) ON DELETE CASCADE,
    split_id INTEGER NOT NULL REFERENCES split (id) ON DELETE CASCADE,
    design TEXT NOT NULL CHECK (json_valid(design)),
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE experiment_arm (
    experiment_id INTEGER NOT NULL REFERENCES experiment (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    levels TEXT NOT NULL CHECK (json_valid(levels)),
    -- null until its first item is worked, and where the run was purged
    run_id INTEGER REFERENCES run (id) ON DELETE SET NULL,
    PRIMARY KEY (experiment_id, ordinal),
    UNIQUE (experiment_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX experiment_arm_run ON experiment_arm (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE form (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL CHECK (json_valid(content)),
    content_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (key, version)
) STRICT;

CREATE TABLE generation (
    job_id INTEGER PRIMARY KEY REFERENCES job (id),
    dataset_id INTEGER NOT NULL REFERENCES dataset (id),
    settings TEXT NOT NULL CHECK (json_valid(settings))
) STRICT;

CREATE INDEX generation_dataset ON generation (dataset_id);

CREATE TABLE generation_attempt (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL,
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    document_id TEXT NOT NULL,
    round INTEGER NOT NULL CHECK (round >= 0),
    repeat INTEGER NOT NULL CHECK (repeat >= 0),
    documents TEXT NOT NULL CHECK (json_valid(documents)),
    model TEXT NOT NULL,
    prompt_id TEXT NOT NULL,
    prompt_hash TEXT REFERENCES prompt (hash),
    state TEXT NOT NULL CHECK (state IN
        ('pending', 'parsed', 'empty', 'refused', 'unparsed', 'failed')),
    reason TEXT NOT NULL,
    call_key TEXT,
    cached INTEGER NOT NULL DEFAULT 0 CHECK (cached IN (0, 1)),
    written INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    finished_at TEXT, calls INTEGER NOT NULL DEFAULT 0,
    UNIQUE (job_id, topic, task, document_id, round, repeat),
    FOREIGN KEY (job_id, topic, task) REFERENCES generation_cell (job_id, topic, task),
    CHECK ((state = 'pending') = (finished_at IS NULL))
) STRICT;

CREATE INDEX generation_attempt_call ON generation_attempt (call_key) WHERE call_key IS NOT NULL;

CREATE TABLE generation_cell (
    job_id INTEGER NOT NULL REFERENCES generation (job_id),
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    target INTEGER NOT NULL CHECK (target > 0),
    lack TEXT,
    PRIMARY KEY (job_id, topic, task)
) STRICT, WITHOUT ROWID;

CREATE TABLE generation_result (
    attempt_id INTEGER NOT NULL REFERENCES generation_attempt (id),
    ordinal INTEGER NOT NULL,
    item_id INTEGER UNIQUE REFERENCES item (id),
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (attempt_id, ordinal),
    CHECK ((outcome = 'kept') = (item_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE generation_step (
    id INTEGER PRIMARY KEY,
    attempt_id INTEGER NOT NULL REFERENCES generation_attempt (id),
    stage TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('parsed', 'refused', 'unparsed')),
    value TEXT NOT NULL CHECK (json_valid(value)),
    reason TEXT NOT NULL,
    call_key TEXT,
    cached INTEGER NOT NULL CHECK (cached IN (0, 1)),
    at TEXT NOT NULL
) STRICT;

CREATE INDEX generation_step_attempt ON generation_step (attempt_id);

CREATE INDEX generation_step_call ON generation_step (call_key) WHERE call_key IS NOT NULL;

CREATE TABLE graph (
    id INTEGER PRIMARY KEY,
    corpus_id INTEGER NOT NULL REFERENCES corpus (id),
    fingerprint TEXT NOT NULL,
    method TEXT NOT NULL,
    recipe TEXT NOT NULL CHECK (json_valid(recipe)),
    recipe_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    linked_at TEXT,
    UNIQUE (corpus_id, fingerprint, recipe_hash)
) STRICT;

CREATE TABLE graph_chunk (
    graph_id INTEGER NOT NULL REFERENCES graph (id),
    document_id TEXT NOT NULL REFERENCES document (document_id),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('parsed', 'empty', 'refused', 'unparsed', 'failed')),
    reason TEXT NOT NULL,
    names TEXT NOT NULL CHECK (json_valid(names)),
    call_key TEXT,
    cached INTEGER NOT NULL DEFAULT 0 CHECK (cached IN (0, 1)),
    PRIMARY KEY (graph_id, document_id, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX graph_chunk_call ON graph_chunk (call_key) WHERE call_key IS NOT NULL;

CREATE INDEX graph_chunk_document ON graph_chunk (document_id);

CREATE TABLE guideline (
    form_key TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    author TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (form_key, version)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER guideline_is_final BEFORE UPDATE ON guideline
BEGIN SELECT RAISE(ABORT, 'a guideline is never changed; write a new version'); END;

CREATE TABLE inspection (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES job (id),
    revision_id INTEGER NOT NULL REFERENCES revision (id),
    repeat INTEGER NOT NULL CHECK (repeat >= 0),
    inspector TEXT NOT NULL,
    prompt_hash TEXT REFERENCES prompt (hash),
    state TEXT NOT NULL CHECK (state IN ('parsed', 'refused', 'unparsed', 'failed')),
    evaluation INTEGER CHECK (evaluation IN (0, 1, 2)),
    reason TEXT NOT NULL,
    checks TEXT NOT NULL CHECK (json_valid(checks)),
    correction INTEGER REFERENCES revision (id),
    call_key TEXT,
    cached INTEGER NOT NULL CHECK (cached IN (0, 1)),
    at TEXT NOT NULL,
    UNIQUE (job_id, revision_id, repeat),
    CHECK ((state = 'parsed') = (evaluation IS NOT NULL)),
    CHECK (correction IS NULL OR evaluation = 1)
) STRICT;

CREATE INDEX inspection_correction ON inspection (correction) WHERE correction IS NOT NULL;

CREATE INDEX inspection_revision ON inspection (revision_id);

CREATE TABLE item (
    id INTEGER PRIMARY KEY,
    dataset_id INTEGER NOT NULL REFERENCES dataset (id),
    item_key TEXT NOT NULL,
    group_key TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('drafted', 'accepted', 'discarded', 'needs_correction', 'corrected')),
    head INTEGER REFERENCES revision (id) DEFERRABLE INITIALLY DEFERRED,
    created_at TEXT NOT NULL, checksum INTEGER,
    UNIQUE (dataset_id, item_key)
) STRICT;

CREATE INDEX item_discarded ON item (id) WHERE state = 'discarded';

CREATE TABLE job (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    run_id INTEGER REFERENCES run (id),
    params TEXT NOT NULL CHECK (json_valid(params)),
    state TEXT NOT NULL CHECK (state IN
        ('queued', 'running', 'paused', 'done', 'failed', 'cancelled')),
    pause_reason TEXT CHECK (pause_reason IN
        ('user', 'budget', 'quota', 'disk full', 'endpoint', 'replies')),
    request TEXT CHECK (request IN ('pause', 'cancel')),
    error TEXT,
    remedy TEXT,
    claimed_by TEXT,
    lease_until REAL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    done INTEGER NOT NULL DEFAULT 0,
    total INTEGER, account TEXT, phase TEXT, phase_done INTEGER NOT NULL DEFAULT 0, phase_total INTEGER,
    CHECK ((state = 'paused') = (pause_reason IS NOT NULL)),
    CHECK ((state = 'running') = (claimed_by IS NOT NULL))
) STRICT;

CREATE INDEX job_open ON job (state) WHERE state IN ('queued', 'running', 'paused');

CREATE INDEX job_run ON job (run_id);

CREATE TABLE job_event (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES job (id),
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE INDEX job_event_job ON job_event (job_id);

CREATE TABLE judge (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    config_hash TEXT NOT NULL UNIQUE,
    config TEXT NOT NULL CHECK (json_valid(config)),
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE judgement (
    id INTEGER PRIMARY KEY,
    revision_id INTEGER NOT NULL UNIQUE REFERENCES revision (id),
    item_id INTEGER NOT NULL REFERENCES item (id),
    form_key TEXT NOT NULL,
    state_before TEXT NOT NULL,
    head_before INTEGER NOT NULL REFERENCES revision (id),
    quorum INTEGER NOT NULL CHECK (quorum > 0)
) STRICT;

CREATE INDEX judgement_item ON judgement (item_id);

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

CREATE TABLE known_mix (
    id INTEGER PRIMARY KEY,
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    rate REAL NOT NULL CHECK (rate > 0 AND rate <= 1),
    seed INTEGER NOT NULL,
    questions INTEGER NOT NULL,
    mixed_by TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT;

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

CREATE TABLE label_conflict (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    field TEXT NOT NULL,
    PRIMARY KEY (form_key, subject_kind, subject, field)
) STRICT, WITHOUT ROWID;

CREATE VIEW label_current AS
SELECT * FROM (
    SELECT form_key, subject_kind, subject, rater, field, aspect, value, kind, max(seq) AS seq, at,
        form_id, origin, guideline
    FROM label_effective GROUP BY form_key, subject_kind, subject, rater, field, aspect)
WHERE value IS NOT NULL;

CREATE VIEW label_done AS
SELECT form_key, subject_kind, subject, rater, seq, at FROM label_status
WHERE status IN ('complete', 'excluded');

CREATE VIEW label_effective AS
SELECT event.seq, event.at, event.rater, event.form_id, form.key AS form_key, event.subject_kind,
    event.subject, event.field, event.value, event.kind, event.origin, event.active_ms,
    event.guideline,
    CASE WHEN event.kind IN ('set', 'clear', 'import') THEN 'value' ELSE event.kind END AS aspect
FROM label_event AS event JOIN form ON form.id = event.form_id
WHERE event.kind NOT IN ('undo', 'redo') AND NOT EXISTS (
    SELECT 1 FROM label_event AS undo WHERE undo.undoes = event.seq AND undo.kind = 'undo'
    AND NOT EXISTS (SELECT 1 FROM label_event AS redo
        WHERE redo.undoes = undo.seq AND redo.kind = 'redo'));

CREATE TABLE label_event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    rater TEXT NOT NULL,
    form_id INTEGER NOT NULL REFERENCES form (id),
    subject_kind TEXT NOT NULL CHECK (subject_kind IN ('revision', 'prediction', 'pair')),
    subject TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT CHECK (value IS NULL OR json_valid(value)),
    kind TEXT NOT NULL,
    undoes INTEGER REFERENCES label_event (seq),
    origin TEXT NOT NULL,
    active_ms INTEGER,
    guideline TEXT NOT NULL
, checksum INTEGER, account TEXT) STRICT;

CREATE INDEX label_event_adjudication ON label_event (subject_kind, subject)
    WHERE kind = 'adjudicate';

CREATE TRIGGER label_event_is_final BEFORE UPDATE ON label_event
BEGIN SELECT RAISE(ABORT, 'a label event is never changed; append one that undoes it'); END;

CREATE TRIGGER label_event_is_new BEFORE INSERT ON label_event
WHEN EXISTS (SELECT 1 FROM label_event WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'a label event is never replaced; append one that undoes it'); END;

CREATE INDEX label_event_rater ON label_event (rater, seq);

CREATE TRIGGER label_event_stays BEFORE DELETE ON label_event
BEGIN SELECT RAISE(ABORT, 'a label event is never deleted; append one that undoes it'); END;

CREATE INDEX label_event_subject ON label_event (subject_kind, subject, rater, form_id, field);

CREATE INDEX label_event_undoes ON label_event (undoes) WHERE undoes IS NOT NULL;

CREATE TRIGGER label_event_undoes AFTER INSERT ON label_event WHEN NEW.kind IN ('undo', 'redo')
BEGIN 
    DELETE FROM label_conflict WHERE form_key = (SELECT key FROM form WHERE id = NEW.form_id) AND subject_kind = NEW.subject_kind AND subject = NEW.subject;
    INSERT INTO label_conflict SELECT form_key, subject_kind, subject, field FROM label_compared
    WHERE form_key = (SELECT key FROM form WHERE id = NEW.form_id) AND subject_kind = NEW.subject_kind AND subject = NEW.subject AND (SELECT json_array_length(complete_by) > 1 FROM label_subject WHERE form_key = (SELECT key FROM form WHERE id = NEW.form_id) AND subject_kind = NEW.subject_kind AND subject = NEW.subject)
    GROUP BY field HAVING count(DISTINCT content) > 1 AND field NOT IN (
        SELECT ruling.field FROM (SELECT * FROM label_ruling WHERE form_key = (SELECT key FROM form WHERE id = NEW.form_id) AND subject_kind = NEW.subject_kind AND subject = NEW.subject) AS ruling
        JOIN (SELECT * FROM label_compared WHERE form_key = (SELECT key FROM form WHERE id = NEW.form_id) AND subject_kind = NEW.subject_kind AND subject = NEW.subject) AS label USING (field)
        LEFT JOIN adjudication_basis AS basis
            ON basis.seq = ruling.seq AND basis.weighed = label.seq
        GROUP BY ruling.seq HAVING count(*) = count(basis.weighed));
 END;

CREATE VIEW label_ruling AS
SELECT form_key, subject_kind, subject, field, rater, value, max(seq) AS seq FROM label_effective
WHERE kind = 'adjudicate' GROUP BY form_key, subject_kind, subject, field, rater;

CREATE TABLE label_status (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    rater TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('partial', 'postponed', 'complete', 'excluded')),
    seq INTEGER NOT NULL REFERENCES label_event (seq),
    at TEXT NOT NULL,
    PRIMARY KEY (form_key, subject_kind, subject, rater)
) STRICT, WITHOUT ROWID;

CREATE INDEX label_status_at ON label_status (form_key, rater, at);

CREATE TRIGGER label_status_begins AFTER INSERT ON label_status WHEN TRUE
BEGIN 
    INSERT INTO label_subject VALUES (NEW.form_key, NEW.subject_kind, NEW.subject,
        (SELECT json_group_array(rater) FROM (SELECT rater FROM label_status WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject AND status IN ('complete', 'excluded') ORDER BY rater)),
        (SELECT json_group_array(rater) FROM (SELECT rater FROM label_status WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject AND status = 'complete' ORDER BY rater)))
    ON CONFLICT DO UPDATE SET done_by = excluded.done_by, complete_by = excluded.complete_by;
 
    DELETE FROM label_conflict WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject;
    INSERT INTO label_conflict SELECT form_key, subject_kind, subject, field FROM label_compared
    WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject AND (SELECT json_array_length(complete_by) > 1 FROM label_subject WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject)
    GROUP BY field HAVING count(DISTINCT content) > 1 AND field NOT IN (
        SELECT ruling.field FROM (SELECT * FROM label_ruling WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject) AS ruling
        JOIN (SELECT * FROM label_compared WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject) AS label USING (field)
        LEFT JOIN adjudication_basis AS basis
            ON basis.seq = ruling.seq AND basis.weighed = label.seq
        GROUP BY ruling.seq HAVING count(*) = count(basis.weighed));
 END;

CREATE INDEX label_status_begun ON label_status (form_key, rater, subject)
    WHERE status IN ('partial', 'postponed');

CREATE TRIGGER label_status_changes AFTER UPDATE ON label_status WHEN OLD.status <> NEW.status OR NEW.status = 'complete'
BEGIN 
    INSERT INTO label_subject VALUES (NEW.form_key, NEW.subject_kind, NEW.subject,
        (SELECT json_group_array(rater) FROM (SELECT rater FROM label_status WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject AND status IN ('complete', 'excluded') ORDER BY rater)),
        (SELECT json_group_array(rater) FROM (SELECT rater FROM label_status WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject AND status = 'complete' ORDER BY rater)))
    ON CONFLICT DO UPDATE SET done_by = excluded.done_by, complete_by = excluded.complete_by;
 
    DELETE FROM label_conflict WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject;
    INSERT INTO label_conflict SELECT form_key, subject_kind, subject, field FROM label_compared
    WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject AND (SELECT json_array_length(complete_by) > 1 FROM label_subject WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject)
    GROUP BY field HAVING count(DISTINCT content) > 1 AND field NOT IN (
        SELECT ruling.field FROM (SELECT * FROM label_ruling WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject) AS ruling
        JOIN (SELECT * FROM label_compared WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind AND subject = NEW.subject) AS label USING (field)
        LEFT JOIN adjudication_basis AS basis
            ON basis.seq = ruling.seq AND basis.weighed = label.seq
        GROUP BY ruling.seq HAVING count(*) = count(basis.weighed));
 END;

CREATE INDEX label_status_complete ON label_status (form_key, seq)
    WHERE status = 'complete';

CREATE TRIGGER label_status_ends AFTER DELETE ON label_status WHEN TRUE
BEGIN 
    INSERT INTO label_subject VALUES (OLD.form_key, OLD.subject_kind, OLD.subject,
        (SELECT json_group_array(rater) FROM (SELECT rater FROM label_status WHERE form_key = OLD.form_key AND subject_kind = OLD.subject_kind AND subject = OLD.subject AND status IN ('complete', 'excluded') ORDER BY rater)),
        (SELECT json_group_array(rater) FROM (SELECT rater FROM label_status WHERE form_key = OLD.form_key AND subject_kind = OLD.subject_kind AND subject = OLD.subject AND status = 'complete' ORDER BY rater)))
    ON CONFLICT DO UPDATE SET done_by = excluded.done_by, complete_by = excluded.complete_by;
 
    DELETE FROM label_conflict WHERE form_key = OLD.form_key AND subject_kind = OLD.subject_kind AND subject = OLD.subject;
    INSERT INTO label_conflict SELECT form_key, subject_kind, subject, field FROM label_compared
    WHERE form_key = OLD.form_key AND subject_kind = OLD.subject_kind AND subject = OLD.subject AND (SELECT json_array_length(complete_by) > 1 FROM label_subject WHERE form_key = OLD.form_key AND subject_kind = OLD.subject_kind AND subject = OLD.subject)
    GROUP BY field HAVING count(DISTINCT content) > 1 AND field NOT IN (
        SELECT ruling.field FROM (SELECT * FROM label_ruling WHERE form_key = OLD.form_key AND subject_kind = OLD.subject_kind AND subject = OLD.subject) AS ruling
        JOIN (SELECT * FROM label_compared WHERE form_key = OLD.form_key AND subject_kind = OLD.subject_kind AND subject = OLD.subject) AS label USING (field)
        LEFT JOIN adjudication_basis AS basis
            ON basis.seq = ruling.seq AND basis.weighed = label.seq
        GROUP BY ruling.seq HAVING count(*) = count(basis.weighed));
 END;

CREATE INDEX label_status_rater ON label_status (form_key, rater, seq);

CREATE TABLE label_subject (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    done_by TEXT NOT NULL CHECK (json_valid(done_by)),
    complete_by TEXT NOT NULL CHECK (json_valid(complete_by)),
    PRIMARY KEY (form_key, subject_kind, subject)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER label_subject_begins AFTER INSERT ON label_subject BEGIN
    
    INSERT INTO label_tally SELECT NEW.form_key, NEW.complete_by, 1 WHERE instr(NEW.subject, '#') = 0
    ON CONFLICT DO UPDATE SET subjects = subjects + excluded.subjects;

    UPDATE assignment SET done_by = NEW.done_by WHERE subject = NEW.subject AND sample_id IN
        (SELECT id FROM sample WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind);
END;

CREATE TRIGGER label_subject_changes AFTER UPDATE ON label_subject
WHEN OLD.done_by <> NEW.done_by OR OLD.complete_by <> NEW.complete_by BEGIN
    
    INSERT INTO label_tally SELECT OLD.form_key, OLD.complete_by, -1 WHERE instr(OLD.subject, '#') = 0
    ON CONFLICT DO UPDATE SET subjects = subjects + excluded.subjects;

    
    INSERT INTO label_tally SELECT NEW.form_key, NEW.complete_by, 1 WHERE instr(NEW.subject, '#') = 0
    ON CONFLICT DO UPDATE SET subjects = subjects + excluded.subjects;

    UPDATE assignment SET done_by = NEW.done_by WHERE subject = NEW.subject AND sample_id IN
        (SELECT id FROM sample WHERE form_key = NEW.form_key AND subject_kind = NEW.subject_kind);
END;

CREATE TABLE label_tally (
    form_key TEXT NOT NULL,
    complete_by TEXT NOT NULL,
    subjects INTEGER NOT NULL,
    PRIMARY KEY (form_key, complete_by)
) STRICT, WITHOUT ROWID;

CREATE TABLE "lease" (
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    rater TEXT NOT NULL,
    until REAL NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (form_key, subject_kind, subject, rater)
) STRICT, WITHOUT ROWID;

CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    variant TEXT NOT NULL,
    UNIQUE (name, variant)
) STRICT;

CREATE TABLE model_call (
    key TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    request TEXT NOT NULL CHECK (json_valid(request)),
    reply TEXT NOT NULL,
    finish_reason TEXT NOT NULL,
    tokens_in INTEGER,
    tokens_out INTEGER,
    cost REAL,
    currency TEXT,
    latency_ms REAL NOT NULL,
    created_at TEXT NOT NULL
, reply_model TEXT) STRICT;

CREATE VIEW named_sample AS
SELECT asking.json AS rater_json, asking.value AS rater, sample.id, sample.name, sample.form_key,
    sample.subject_kind
FROM json_each AS asking CROSS JOIN sample
WHERE closed_at IS NULL
    AND (raters = '[]' OR asking.value IN (SELECT value FROM json_each(sample.raters)));

CREATE TABLE news_seen (
    what TEXT NOT NULL,
    version INTEGER NOT NULL,
    rater TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (what, version, rater)
) STRICT, WITHOUT ROWID;

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
LEFT JOIN authored ON sample.form_key LIKE 'authoring\_%' ESCAPE '\'
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

CREATE VIEW open_sample AS
SELECT named.* FROM named_sample AS named
WHERE NOT EXISTS (SELECT 1 FROM sample_quota AS quota
    WHERE quota.sample_id = named.id AND quota.rater = named.rater
    AND quota.most <= (SELECT coalesce(sum(tally.subjects), 0) FROM assignment_tally AS tally
        WHERE tally.sample_id = named.id AND instr(tally.done_by, named.rater_json) > 0));

CREATE TABLE prediction (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run (id),
    revision_id INTEGER NOT NULL REFERENCES revision (id),
    turn INTEGER NOT NULL CHECK (turn >= 0),
    repeat INTEGER NOT NULL CHECK (repeat >= 0),
    ordinal INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'ok', 'refused', 'failed')),
    answer TEXT,
    error_kind TEXT,
    error_text TEXT,
    finished_at TEXT, checksum INTEGER,
    UNIQUE (run_id, revision_id, turn, repeat),
    UNIQUE (run_id, ordinal),
    CHECK ((state IN ('ok', 'refused')) = (answer IS NOT NULL)),
    CHECK ((state = 'failed') = (error_kind IS NOT NULL))
) STRICT;

CREATE INDEX prediction_progress ON prediction (run_id, state);

CREATE TABLE probe_score (
    judge_id INTEGER NOT NULL REFERENCES judge (id),
    prediction_id INTEGER NOT NULL REFERENCES prediction (id),
    change TEXT NOT NULL,
    metric TEXT NOT NULL,
    repeat INTEGER NOT NULL,
    state TEXT NOT NULL,
    value REAL CHECK ((state = 'ok') = (value IS NOT NULL)),
    reason TEXT NOT NULL,
    calls TEXT NOT NULL CHECK (json_valid(calls)),
    PRIMARY KEY (judge_id, prediction_id, change, metric, repeat)
) STRICT, WITHOUT ROWID;

CREATE INDEX probe_score_prediction ON probe_score (prediction_id);

CREATE TABLE prompt (
    hash TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    lang TEXT NOT NULL CHECK (lang IN ('zh', 'en')),
    text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE qra (
    job_id INTEGER NOT NULL REFERENCES evolution (job_id),
    family INTEGER NOT NULL,
    number INTEGER NOT NULL,
    operation TEXT NOT NULL,
    entity TEXT NOT NULL,
    parents TEXT NOT NULL CHECK (json_valid(parents)),
    round INTEGER NOT NULL,
    content TEXT CHECK (content IS NULL OR json_valid(content)),
    rd REAL,
    gd REAL,
    outcome TEXT NOT NULL CHECK (outcome IN ('initial', 'partner', 'kept', 'dropped', 'rejected')),
    reason TEXT NOT NULL,
    item_id INTEGER REFERENCES item (id),
    PRIMARY KEY (job_id, family, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX qra_item ON qra (item_id) WHERE item_id IS NOT NULL;

CREATE TABLE question_set (
    -- of the sets that were imported together, as a judge's settings name them
    name TEXT NOT NULL,
    item_id INTEGER NOT NULL REFERENCES item (id),
    -- of the golden answer that the questions were made from
    golden_id TEXT NOT NULL,
    content TEXT NOT NULL CHECK (json_valid(content)),
    PRIMARY KEY (name, item_id)
) STRICT;

CREATE INDEX question_set_item ON question_set (item_id);

CREATE TABLE refined_chunk (
    refinement_id INTEGER NOT NULL REFERENCES refinement (id),
    document_id TEXT NOT NULL REFERENCES document (document_id),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    text TEXT NOT NULL,
    unusable INTEGER NOT NULL,
    calls TEXT NOT NULL CHECK (json_valid(calls)),
    job_id INTEGER REFERENCES job (id) ON DELETE SET NULL,
    PRIMARY KEY (refinement_id, document_id, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX refined_chunk_document ON refined_chunk (document_id);

CREATE INDEX refined_chunk_job ON refined_chunk (job_id) WHERE job_id IS NOT NULL;

CREATE TABLE refinement (
    id INTEGER PRIMARY KEY,
    corpus_id INTEGER NOT NULL REFERENCES corpus (id),
    fingerprint TEXT NOT NULL,
    stages TEXT NOT NULL CHECK (json_valid(stages)),
    created_at TEXT NOT NULL,
    finished_at TEXT,
    UNIQUE (corpus_id, fingerprint, stages)
) STRICT;

CREATE TABLE release (
    id INTEGER PRIMARY KEY,
    dataset_id INTEGER NOT NULL REFERENCES dataset (id),
    version INTEGER NOT NULL,
    note TEXT NOT NULL,
    created_at TEXT NOT NULL, size INTEGER, last_revision INTEGER, last_label INTEGER, last_inspection INTEGER,
    UNIQUE (dataset_id, version)
) STRICT;

CREATE TABLE release_cell (
    release_id INTEGER NOT NULL REFERENCES release (id),
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    items INTEGER NOT NULL,
    chinese INTEGER NOT NULL,
    PRIMARY KEY (release_id, topic, task)
) STRICT, WITHOUT ROWID;

CREATE TABLE release_item (
    release_id INTEGER NOT NULL REFERENCES release (id),
    item_id INTEGER NOT NULL REFERENCES item (id),
    revision_id INTEGER NOT NULL REFERENCES revision (id),
    state TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (release_id, item_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER release_item_counted AFTER INSERT ON release_item
BEGIN
    INSERT INTO release_cell SELECT NEW.release_id, topic, task, 1, lang = 'zh'
    FROM revision WHERE id = NEW.revision_id
    ON CONFLICT DO UPDATE SET items = items + 1, chinese = chinese + excluded.chinese;
END;

CREATE TRIGGER release_item_uncounted AFTER DELETE ON release_item
BEGIN
    UPDATE release_cell SET items = items - 1, chinese = chinese - (revision.lang = 'zh')
    FROM revision WHERE revision.id = OLD.revision_id AND release_id = OLD.release_id
    AND release_cell.topic = revision.topic AND release_cell.task = revision.task;
    DELETE FROM release_cell WHERE release_id = OLD.release_id AND items = 0;
END;

CREATE TABLE revision (
    id INTEGER PRIMARY KEY,
    item_id INTEGER NOT NULL REFERENCES item (id),
    number INTEGER NOT NULL,
    parent INTEGER REFERENCES revision (id),
    author TEXT NOT NULL,
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL,
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    lang TEXT NOT NULL CHECK (lang IN ('zh', 'en')),
    turns INTEGER NOT NULL CHECK (turns > 0),
    content TEXT NOT NULL CHECK (json_valid(content)),
    content_hash TEXT NOT NULL,
    UNIQUE (item_id, number)
) STRICT;

CREATE INDEX revision_hides ON revision (id) WHERE instr(content, '"hidden":') > 0;

CREATE TRIGGER revision_is_final BEFORE UPDATE ON revision
BEGIN SELECT RAISE(ABORT, 'a revision is never changed; write a new one'); END;

CREATE TRIGGER revision_is_new BEFORE INSERT ON revision
WHEN EXISTS (SELECT 1 FROM revision
    WHERE id = NEW.id OR (item_id = NEW.item_id AND number = NEW.number))
BEGIN SELECT RAISE(ABORT, 'a revision is never replaced; write a new one'); END;

CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    release_id INTEGER NOT NULL REFERENCES release (id),
    system_id INTEGER NOT NULL REFERENCES system (id),
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    created_at TEXT NOT NULL,
    archived_at TEXT
) STRICT;

CREATE INDEX run_release ON run (release_id);

CREATE TABLE run_tally (
    run_id INTEGER PRIMARY KEY REFERENCES run (id),
    scored INTEGER NOT NULL
) STRICT;

CREATE TABLE sample (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    form_key TEXT NOT NULL,
    subject_kind TEXT NOT NULL CHECK (subject_kind IN ('revision', 'prediction', 'pair')),
    raters TEXT NOT NULL CHECK (json_valid(raters)),
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    created_at TEXT NOT NULL,
    closed_at TEXT
, adjudicators TEXT NOT NULL DEFAULT '[]'
    CHECK (json_valid(adjudicators)), aids INTEGER NOT NULL DEFAULT 0 CHECK (aids IN (0, 1))) STRICT;

CREATE TABLE sample_quota (
    sample_id INTEGER NOT NULL REFERENCES sample (id),
    rater TEXT NOT NULL,
    most INTEGER NOT NULL CHECK (most > 0),
    PRIMARY KEY (sample_id, rater)
) STRICT, WITHOUT ROWID;

CREATE TABLE score (
    prediction_id INTEGER NOT NULL REFERENCES prediction (id),
    metric_id INTEGER NOT NULL REFERENCES metric (id),
    judge_id INTEGER NOT NULL REFERENCES judge (id),
    repeat INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN
        ('ok', 'na', 'unparsed', 'out_of_range', 'error', 'missing')),
    value REAL,
    reason TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (prediction_id, metric_id, judge_id, repeat),
    CHECK ((state = 'ok') = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE side_reading (
    id INTEGER PRIMARY KEY,
    judge_id INTEGER NOT NULL REFERENCES judge (id),
    split_id INTEGER NOT NULL REFERENCES split (id),
    side TEXT NOT NULL,
    figures TEXT NOT NULL CHECK (json_valid(figures)),
    read_at TEXT NOT NULL,
    UNIQUE (judge_id, split_id, side)
) STRICT;

CREATE TRIGGER side_reading_is_final BEFORE UPDATE ON side_reading
BEGIN SELECT RAISE(ABORT, 'a side is asked once about a version of a judge'); END;

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    corpus_id INTEGER NOT NULL REFERENCES corpus (id),
    document INTEGER NOT NULL REFERENCES document (id),
    path TEXT NOT NULL,
    locator TEXT NOT NULL,
    title TEXT NOT NULL,
    external_id TEXT NOT NULL,
    meta TEXT NOT NULL CHECK (json_valid(meta)),
    seen_at TEXT NOT NULL,
    superseded_at TEXT
, reading INTEGER NOT NULL DEFAULT 0, checksum INTEGER) STRICT;

CREATE INDEX source_document ON source (document);

CREATE INDEX source_external ON source (corpus_id, external_id) WHERE external_id <> '';

CREATE TRIGGER source_is_counted AFTER INSERT ON source
BEGIN UPDATE corpus SET sources = sources + 1 WHERE id = NEW.corpus_id; END;

CREATE UNIQUE INDEX source_live ON source (corpus_id, path, locator) WHERE superseded_at IS NULL;

CREATE TABLE split (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    sides TEXT NOT NULL CHECK (json_valid(sides)),
    seed INTEGER NOT NULL,
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE split_member (
    split_id INTEGER NOT NULL REFERENCES split (id),
    member TEXT NOT NULL,
    split_group TEXT NOT NULL,
    stratum TEXT NOT NULL,
    side TEXT,
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (split_id, member)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER split_member_stays BEFORE UPDATE ON split_member
BEGIN SELECT RAISE(ABORT, 'an assignment to a side is never changed'); END;

CREATE TABLE stage_result (
    prediction_id INTEGER NOT NULL REFERENCES prediction (id),
    stage TEXT NOT NULL,
    value TEXT NOT NULL CHECK (json_valid(value)),
    call_key TEXT,
    elapsed_ms REAL NOT NULL,
    finished_at TEXT NOT NULL, checksum INTEGER,
    PRIMARY KEY (prediction_id, stage)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER score_counted AFTER INSERT ON stage_result WHEN NEW.stage = 'score'
BEGIN
    INSERT INTO run_tally SELECT run_id, 1 FROM prediction WHERE id = NEW.prediction_id
    ON CONFLICT DO UPDATE SET scored = scored + 1;
END;

CREATE TRIGGER score_uncounted AFTER DELETE ON stage_result WHEN OLD.stage = 'score'
BEGIN
    UPDATE run_tally SET scored = scored - 1
    WHERE run_id = (SELECT run_id FROM prediction WHERE id = OLD.prediction_id);
    DELETE FROM run_tally WHERE scored = 0;
END;

CREATE TABLE system (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    config_hash TEXT NOT NULL UNIQUE,
    config TEXT NOT NULL CHECK (json_valid(config)),
    created_at TEXT NOT NULL
) STRICT;

CREATE TABLE task_metric (
    taxonomy_id INTEGER NOT NULL REFERENCES taxonomy (id),
    task TEXT NOT NULL,
    metric TEXT NOT NULL,
    PRIMARY KEY (taxonomy_id, task, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE taxonomy (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    content_hash TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL CHECK (json_valid(content)),
    created_at TEXT NOT NULL
) STRICT;

CREATE TRIGGER taxonomy_lists_metrics AFTER INSERT ON taxonomy
BEGIN
    INSERT OR IGNORE INTO task_metric
    SELECT new.id, json_extract(task.value, '$.key'), listed.value
    FROM json_each(new.content, '$.tasks') AS task, json_each(task.value, '$.metrics') AS listed;
END;

CREATE TABLE taxonomy_name (
    name TEXT PRIMARY KEY,
    taxonomy_id INTEGER NOT NULL REFERENCES taxonomy (id),
    origin TEXT NOT NULL,
    at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE team_event (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    account TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('share', 'unshare', 'role', 'act')),
    about TEXT NOT NULL,
    value TEXT,
    CHECK (kind <> 'role' OR value IS NULL
        OR value IN ('reader', 'rater', 'adjudicator', 'operator'))
) STRICT;

CREATE TRIGGER team_event_is_final BEFORE UPDATE ON team_event
BEGIN SELECT RAISE(ABORT, 'the log of the team is never changed'); END;

CREATE TRIGGER team_event_stays BEFORE DELETE ON team_event
BEGIN SELECT RAISE(ABORT, 'the log of the team is never deleted from'); END;

CREATE VIEW team_member AS
SELECT about AS account, value AS role, at AS since, event.account AS by FROM team_event AS event
WHERE id IN (SELECT max(id) FROM team_event WHERE kind = 'role' GROUP BY about)
    AND value IS NOT NULL;

CREATE TABLE team_message (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    account TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE TRIGGER team_message_is_final BEFORE UPDATE ON team_message
BEGIN SELECT RAISE(ABORT, 'a message is never changed; write another'); END;

CREATE TABLE topic_reply (
    id INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES job (id),
    taxonomy_id INTEGER NOT NULL REFERENCES taxonomy (id),
    document INTEGER NOT NULL REFERENCES document (id),
    repeat INTEGER NOT NULL CHECK (repeat >= 0),
    model TEXT NOT NULL,
    prompt_hash TEXT NOT NULL REFERENCES prompt (hash),
    state TEXT NOT NULL CHECK (state IN ('parsed', 'refused', 'unparsed', 'failed')),
    topic TEXT,
    reason TEXT NOT NULL,
    call_key TEXT,
    cached INTEGER NOT NULL CHECK (cached IN (0, 1)),
    at TEXT NOT NULL,
    UNIQUE (job_id, document, repeat),
    CHECK ((state = 'parsed') = (topic IS NOT NULL))
) STRICT;

CREATE INDEX topic_reply_document ON topic_reply (document);

CREATE TABLE trained_file (
    judge TEXT NOT NULL,
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    -- BLAKE2b-128 of the content, hexadecimal
    hash TEXT NOT NULL,
    PRIMARY KEY (judge, name)
) STRICT;

CREATE VIEW unused_metric AS
SELECT tasks.taxonomy_id AS taxonomy_id, tasks.task AS task, metric.id AS metric_id,
    judge.id AS judge_id
FROM (SELECT DISTINCT taxonomy_id, task FROM task_metric) AS tasks, metric, judge
WHERE json_extract(judge.config, '$.imported') IS NULL
AND EXISTS (
    SELECT 1 FROM task_metric AS listed WHERE listed.taxonomy_id = tasks.taxonomy_id
    AND listed.metric IN
        (metric.name, substr(metric.name, 1, instr(metric.name, '@')) || 'k'))
AND NOT EXISTS (
    SELECT 1 FROM task_metric AS used WHERE used.taxonomy_id = tasks.taxonomy_id
    AND used.task = tasks.task AND used.metric IN
        (metric.name, substr(metric.name, 1, instr(metric.name, '@')) || 'k'));

CREATE VIEW v1_items AS
SELECT dataset.name AS dataset, item.item_key AS item, item.group_key AS group_key,
    item.state AS state, revision.number AS revision, revision.topic AS topic,
    revision.task AS task, revision.lang AS lang, revision.turns AS turns,
    revision.content AS content, revision.content_hash AS content_hash,
    item.created_at AS created_at
FROM item JOIN dataset ON dataset.id = item.dataset_id JOIN revision ON revision.id = item.head;

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

CREATE VIEW v1_predictions AS
SELECT prediction.id AS prediction_id, run.name AS run, item.item_key AS item,
    prediction.turn AS turn,
    prediction.repeat AS repeat, item.group_key AS group_key, revision.topic AS topic,
    revision.task AS task, revision.lang AS lang,
    json_extract(revision.content, '$.turns[' || prediction.turn || '].question') AS question,
    coalesce(json_extract(revision.content,
        '$.turns[' || prediction.turn || '].golden_answers'), '[]') AS golden_answers,
    prediction.state AS state, prediction.answer AS answer, prediction.error_kind AS error_kind,
    prediction.error_text AS error_text, json_extract(retrieved.value, '$.hits') AS retrieved,
    prediction.finished_at AS finished_at
FROM prediction JOIN run ON run.id = prediction.run_id
JOIN revision ON revision.id = prediction.revision_id JOIN item ON item.id = revision.item_id
LEFT JOIN stage_result AS retrieved
    ON retrieved.prediction_id = prediction.id AND retrieved.stage = 'retrieve';

CREATE VIEW v1_runs AS
SELECT run.id AS run_id, run.name AS run, dataset.name || '@' || release.version AS dataset,
    system.name AS system, system.config_hash AS system_hash, system.config AS config,
    run.settings AS settings, run.created_at AS created_at, run.archived_at AS archived_at
FROM run JOIN release ON release.id = run.release_id
JOIN dataset ON dataset.id = release.dataset_id JOIN system ON system.id = run.system_id;

CREATE VIEW v1_scores AS
SELECT prediction_id, run, item, turn, repeat, metric, variant, judge, judge_hash, judge_repeat,
    iif(is_unused, 'na', state) AS state, iif(is_unused, NULL, value) AS value,
    iif(is_unused, 'the task does not use this metric', reason) AS reason, details
FROM (
    SELECT prediction.id AS prediction_id, run.name AS run, item.item_key AS item,
        prediction.turn AS turn,
        prediction.repeat AS repeat, metric.name AS metric, metric.variant AS variant,
        judge.name AS judge, judge.config_hash AS judge_hash, score.repeat AS judge_repeat,
        score.state AS state, score.value AS value, score.reason AS reason,
        json_extract(judged.value, '$.details') AS details,
        (dataset.taxonomy_id, revision.task, metric.id, judge.id) IN (
            SELECT taxonomy_id, task, metric_id, judge_id FROM unused_metric) AS is_unused
    FROM prediction JOIN run ON run.id = prediction.run_id
    JOIN revision ON revision.id = prediction.revision_id JOIN item ON item.id = revision.item_id
    JOIN dataset ON dataset.id = item.dataset_id
    JOIN score ON score.prediction_id = prediction.id JOIN metric ON metric.id = score.metric_id
    JOIN judge ON judge.id = score.judge_id
    LEFT JOIN stage_result AS judged ON judged.prediction_id = prediction.id
        AND judged.stage = 'judge/' || judge.id || '/' || metric.name || '/' || score.repeat
);

CREATE TABLE worker (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    token TEXT NOT NULL,
    pid INTEGER NOT NULL,
    host TEXT NOT NULL,
    started_at TEXT NOT NULL,
    lease_until REAL NOT NULL
, boot TEXT, ticks_until REAL, account TEXT) STRICT;

