"""The built-in analysts of an episode."""
