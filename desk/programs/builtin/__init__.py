"""What the built-in analysts of all programs have in common."""
