"""Has a sample of a run's rankings and answers scored again by other people's libraries."""
