"""A model judge asks a language model, by one prompt for each metric."""
