"""Measures of one market's daily prices, and of a company's accounts."""
