"""Exports made in the app: what goes out, seen before it is written; and single files."""
