"""The questions that copy, check and tidy the workspace: back up, verify, delete, restore."""
