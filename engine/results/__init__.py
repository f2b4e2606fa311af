"""Results of runs: matrices, tables, comparisons, leaderboards."""
