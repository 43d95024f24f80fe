"""Putting documents where readers find them, all of a document or none."""
