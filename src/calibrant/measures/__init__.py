"""Numbers of a view: errors and scores."""
