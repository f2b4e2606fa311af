"""Turns human-labelled answers into data for judges, split by question."""
