"""The Judges screen, and the questions that let judges score runs or audit a judge."""
