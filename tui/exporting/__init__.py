"""The Export screen."""
