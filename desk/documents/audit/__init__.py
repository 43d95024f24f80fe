"""A published report, verified from itself."""
