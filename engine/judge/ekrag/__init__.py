"""EKRAG's three judges of correctness, relevance and faithfulness: embedding, reranker, model."""
