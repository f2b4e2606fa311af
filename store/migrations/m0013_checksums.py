"""Checksums of what is final, so that `verify` sees what was changed without ragdesk.

`row_sum` is a function that each connection of ragdesk has, see `register_row_sum`.
"""

SQL = """
ALTER TABLE score ADD COLUMN checksum INTEGER;
UPDATE score SET checksum = row_sum(state, value, reason);
ALTER TABLE prediction ADD COLUMN checksum INTEGER;
UPDATE prediction SET checksum = row_sum(state, answer, error_kind, error_text)
WHERE state <> 'pending';
ALTER TABLE stage_result ADD COLUMN checksum INTEGER;
UPDATE stage_result SET checksum = row_sum(stage, value, call_key);
ALTER TABLE source ADD COLUMN checksum INTEGER;
UPDATE source SET checksum = row_sum(document, path, locator);
ALTER TABLE document_topic ADD COLUMN checksum INTEGER;
UPDATE document_topic SET checksum = row_sum(document, topic);
ALTER TABLE item ADD COLUMN checksum INTEGER;
UPDATE item SET checksum = row_sum(item_key, state);
ALTER TABLE release_item ADD COLUMN checksum INTEGER;
UPDATE release_item SET checksum = row_sum(item_id, revision_id, state);
-- how many items the release froze
ALTER TABLE release ADD COLUMN size INTEGER;
UPDATE release SET size = (SELECT count(*) FROM release_item WHERE release_id = release.id);
ALTER TABLE label_event ADD COLUMN checksum INTEGER;
DROP TRIGGER label_event_is_final;
UPDATE label_event SET checksum = row_sum(rater, subject, field, value, kind);
CREATE TRIGGER label_event_is_final BEFORE UPDATE ON label_event
BEGIN SELECT RAISE(ABORT, 'a label event is never changed; append one that undoes it'); END;
"""
