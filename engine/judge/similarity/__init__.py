"""Similarity to the golden answer: cosine of sentence vectors, and BERTScore of token vectors."""
