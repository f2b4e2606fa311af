"""Whether one run is better than another, and how sure that is."""
