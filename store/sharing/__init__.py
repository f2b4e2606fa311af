"""Who may do what in a workspace that a group shares: accounts, roles, and modes of files."""
