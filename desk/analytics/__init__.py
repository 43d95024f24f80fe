"""Computes units, figures, formulas, series and names. Imports nothing of agents."""
