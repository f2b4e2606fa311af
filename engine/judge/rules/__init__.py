"""The rule judge scores five metrics of a prediction by rules that a person can check."""
