"""The journal of effects, and files on disk."""
