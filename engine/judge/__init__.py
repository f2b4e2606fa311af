"""Judging predictions: model-based metrics, and the explainable rules that stand in for them."""
