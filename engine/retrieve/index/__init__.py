"""Indexes over the chunks of a corpus, and where they lie on disk."""
