"""A jury takes the median of what other judges of the workspace say."""
