"""Runs code of users in processes apart, within limits of time, memory and reply."""
