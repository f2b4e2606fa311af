"""Judges predictions by rules, by models and by light judges, behind one protocol."""
