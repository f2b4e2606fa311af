"""Writing the guideline of a form: its next version, after a look at what differs."""
