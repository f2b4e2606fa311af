"""Archiving and purging of runs, datasets and corpora."""
