"""What the screens of all places share, and small questions that any of them asks."""
