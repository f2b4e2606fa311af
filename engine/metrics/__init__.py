"""Text and ranking metrics, with one module for each variant."""
