"""Judges predictions behind one protocol, with one folder for each method of judging."""
