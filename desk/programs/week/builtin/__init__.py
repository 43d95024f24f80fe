"""The built-in analysts of the week."""
