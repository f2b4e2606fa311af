"""Changes the texts that chunks are indexed by, with one module for each way."""
