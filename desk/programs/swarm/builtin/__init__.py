"""The built-in leader and specialists."""
