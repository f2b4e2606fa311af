"""What systems did: runs, predictions, scores, and what judges said."""
