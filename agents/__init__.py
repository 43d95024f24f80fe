"""Who does the work: the roster and the built-in analysts."""
