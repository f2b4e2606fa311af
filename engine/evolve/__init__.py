"""Grows harder items from simple ones, by operations on pairs of them (AutoEvolve)."""
