"""Model endpoints: providers, calls to them, and what keeps calls within their limits."""
