"""Embeds and reranks with models, by sentence-transformers or at an endpoint."""
