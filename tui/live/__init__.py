"""What the screens show of a workspace that others are changing meanwhile."""
