"""The base classes and small questions that the screens of all places share."""
