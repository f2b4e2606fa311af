"""The desk that people label at, whatever the form and the subject."""
