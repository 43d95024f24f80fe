"""Recognises and formats the names of currencies, markets, central banks and periods in text."""
