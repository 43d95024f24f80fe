"""Forecasts, lessons and memories."""
