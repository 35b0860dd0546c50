"""Reports: what the numbers of a set of predictions are, and what they mean."""
