"""Drafts items by rule: a labelled baseline that needs neither network nor model weights."""
