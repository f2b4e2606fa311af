"""The rule judge: five metrics of one prediction by rules that a person can check."""
