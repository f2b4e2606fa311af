"""Documents with their chunks, and the topics that they are assigned to."""
