"""The form below the subject: its fields with their values, and the last judgements."""
