"""Where one begins: what there is, and what to do next."""
