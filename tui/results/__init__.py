"""The screens on results of runs: matrix, items, comparison, bars, leaderboard."""
