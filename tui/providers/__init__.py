"""Language models that may be asked: where they are and what they cost."""
