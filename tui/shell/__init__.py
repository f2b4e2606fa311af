"""What every screen stands on: actions, theme, the terminal, own keys, remembered places."""
