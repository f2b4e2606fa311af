"""The Judges screen, and the question that lets judges score runs."""
