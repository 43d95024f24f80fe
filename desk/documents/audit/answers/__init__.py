"""A published answer, verified from itself."""
