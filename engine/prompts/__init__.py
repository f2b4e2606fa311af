"""Finds prompt templates by language and purpose, where a workspace may override the shipped
ones."""
