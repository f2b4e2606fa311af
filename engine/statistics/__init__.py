"""Statistics of scores and ratings: means, intervals, tests and coefficients of agreement."""
