"""Numbers what was ordered by time, so that no clock says which of two came later."""

SQL = """
-- number: the order in which a document was given its topics.
ALTER TABLE document_topic ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
CREATE INDEX document_topic_latest ON document_topic (document, number);
UPDATE document_topic SET number = (SELECT count(*) FROM document_topic AS other
    WHERE other.document = document_topic.document AND (other.at < document_topic.at
        OR other.at = document_topic.at AND other.taxonomy_key >= document_topic.taxonomy_key));

-- number: the order in which a rater typed their drafts.
ALTER TABLE draft ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE draft SET number = (SELECT count(*) FROM draft AS other
    WHERE other.rater = draft.rater AND other.at <= draft.at);

-- calls: the last reply that was kept when the attempt began; later ones it may have paid for.
ALTER TABLE generation_attempt ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
UPDATE generation_attempt SET calls = (SELECT coalesce(max(model_call.rowid), 0) FROM model_call
    WHERE model_call.created_at < generation_attempt.created_at) WHERE state = 'pending';
"""
