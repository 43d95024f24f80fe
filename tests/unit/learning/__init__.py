"""Tests of forecasts and lessons."""
