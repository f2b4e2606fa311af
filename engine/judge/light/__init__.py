"""A light judge learned from human labels: features of an answer, a small model per metric."""
