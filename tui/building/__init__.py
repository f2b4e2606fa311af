"""Building a dataset: its topics, what each cell shall hold, and the jobs that fill them."""
