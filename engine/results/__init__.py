"""What a run came to: matrices, tables of runs, comparisons, leaderboards."""
