"""Models that embed and rerank, by sentence-transformers or at an endpoint."""
