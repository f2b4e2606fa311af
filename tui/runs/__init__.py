"""The screens that list runs and jobs, start, pause and cancel them."""
