"""Coefficients of agreement between raters, with confidence intervals."""
