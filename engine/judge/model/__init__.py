"""Judges that ask a language model: their settings, prompts and replies."""
