"""Strengths of Dirichlet-ODIR, an entry and a shift, as its authors' program takes them."""

PER_ENTRY, PER_SHIFT = 1e-3, 1e-3
