"""The computing, headless: nothing here imports Textual."""
