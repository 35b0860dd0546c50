"""Families for a whole probability vector, a file each."""
