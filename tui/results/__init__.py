"""Results of runs: matrices, items behind them, runs beside each other, leaderboards."""
