"""The screens on the work of raters: statistics, progress, new samples."""
