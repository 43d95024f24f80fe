"""The built-in analysts of a question."""
