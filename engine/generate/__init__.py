"""Makes benchmark items from documents, by a model or by rule, and checks and inspects them."""
