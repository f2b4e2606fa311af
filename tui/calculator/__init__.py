"""The process that computes results for the app."""
