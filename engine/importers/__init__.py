"""Other people's items, runs, scores and labels coming in: one module a source."""
