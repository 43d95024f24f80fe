"""Clients of language models: Claude, and third-party models behind the same protocol."""
