"""How far a judge can be trusted: its values against people's, and what both say of a run: pure."""
