"""Keeps indexes over the chunks of a corpus on disk."""
