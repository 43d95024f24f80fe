"""What the built-in analysts of all programs share."""
