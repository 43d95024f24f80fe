"""Objections to findings, and what becomes of them."""
