"""Reads and writes `ragdesk.toml`: systems, judges, embeddings, rerankers and providers."""
