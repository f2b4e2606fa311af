"""Teaching a light judge from human labels, and measuring what it learned."""
