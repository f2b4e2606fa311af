"""Makes benchmark items, by a model, by rule, or by people who are given documents."""
