"""Prompt templates: files by language and purpose, which a workspace may override."""
