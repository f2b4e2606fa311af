"""The log of label events: what each must be, what follows from it at once, and undoing."""
