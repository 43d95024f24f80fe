"""Compression, encryption and external storage of payloads."""
