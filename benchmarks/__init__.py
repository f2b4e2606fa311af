"""Ratios against named peers, measured side by side: `python -m benchmarks.NAME`."""
