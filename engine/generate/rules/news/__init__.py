"""Reads Chinese news by rule: figures of companies, events, and what persons stated."""
