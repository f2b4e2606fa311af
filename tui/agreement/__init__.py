"""How far raters agree, and what they differ on."""
