"""Tests of what may be printed."""
