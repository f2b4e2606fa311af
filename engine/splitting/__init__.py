"""Splits of items and cases into train and test, group by group, that are never changed."""
