"""Prices and rates from the packaged tables, computed apart from the desk: none of its formulas is
used."""
