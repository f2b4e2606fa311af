"""What is written to the terminal: of each picture that Textual draws, only what has changed."""
