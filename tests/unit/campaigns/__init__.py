"""Tests of the campaigns that break a desk."""
