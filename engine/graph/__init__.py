"""Links the chunks of a corpus by the entities that they share, named by a model or by rule."""
