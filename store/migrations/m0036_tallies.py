"""Adds counts that triggers keep: items of a release by cell, and scored answers of a run."""

SQL = """
CREATE TABLE release_cell (
    release_id INTEGER NOT NULL REFERENCES release (id),
    topic TEXT NOT NULL,
    task TEXT NOT NULL,
    items INTEGER NOT NULL,
    chinese INTEGER NOT NULL,
    PRIMARY KEY (release_id, topic, task)
) STRICT, WITHOUT ROWID;

INSERT INTO release_cell
SELECT release_id, topic, task, count(*), count(*) FILTER (WHERE lang = 'zh')
FROM release_item JOIN revision ON revision.id = revision_id GROUP BY release_id, topic, task;

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

CREATE TABLE run_tally (
    run_id INTEGER PRIMARY KEY REFERENCES run (id),
    scored INTEGER NOT NULL
) STRICT;

INSERT INTO run_tally
SELECT run_id, count(*) FROM stage_result JOIN prediction ON prediction.id = prediction_id
WHERE stage = 'score' GROUP BY run_id;

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
"""
