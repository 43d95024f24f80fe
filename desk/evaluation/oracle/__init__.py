"""Prices and rates from the packaged tables, computed independently: none of the desk's formulas is
used."""
