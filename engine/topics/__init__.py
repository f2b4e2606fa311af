"""Taxonomies of one's own: proposed, pruned, kept in the workspace."""
