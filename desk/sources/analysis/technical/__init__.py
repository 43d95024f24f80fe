"""Indicators, patterns and statistics of prices."""
