"""The questions that import other people's items, runs, scores and labels."""
