"""Agreement of raters as coefficients with intervals: pure."""
