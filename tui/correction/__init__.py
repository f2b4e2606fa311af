"""Correcting an item by hand: the form, marking evidence, what differs, and the history."""
