"""Dividing items and cases into train and test by group, once and for all."""
