"""Tests of figures and series."""
