"""The base of every screen: actions, theme, terminal, a person's own keys, remembered settings."""
