"""Documents of a corpus, from a person's files to normalised text, tokens and chunks."""
