"""Runs and other work: what is under way, started, paused and cancelled."""
