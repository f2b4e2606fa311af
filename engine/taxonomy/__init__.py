"""Defines topics and tasks, and gives documents their topics."""
