"""Sentences with references in place of figures, and the gate that holds them to it."""
