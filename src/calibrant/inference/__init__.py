"""How sure a number is."""
