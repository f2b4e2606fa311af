"""Lets `verify` see sources of documents that were deleted or retired without ragdesk."""

SQL = """
-- sources: how many were ever stored; no source leaves before its corpus does.
ALTER TABLE corpus ADD COLUMN sources INTEGER NOT NULL DEFAULT 0;
UPDATE corpus SET sources = (SELECT count(*) FROM source WHERE corpus_id = corpus.id);
CREATE TRIGGER source_is_counted AFTER INSERT ON source
BEGIN UPDATE corpus SET sources = sources + 1 WHERE id = NEW.corpus_id; END;

-- a checksum that was wrong before stays wrong
UPDATE source SET checksum = row_sum(document, path, locator, superseded_at)
WHERE checksum = row_sum(document, path, locator);
"""
