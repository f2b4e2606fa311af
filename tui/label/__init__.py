"""The desk that every human judgement is made at, whatever the form and the subject."""
