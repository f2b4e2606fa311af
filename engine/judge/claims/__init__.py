"""The judge of claims lists what texts claim, and checks the claims against other texts."""
