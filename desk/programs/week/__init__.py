"""The weekly research of every market."""
