"""Work that reads and writes the store: one module a kind of job, and the worker that runs them."""
