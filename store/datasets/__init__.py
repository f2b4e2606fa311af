"""Items, their revisions, coverage, splits, generations and inspections."""
