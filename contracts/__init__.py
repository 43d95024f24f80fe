"""What crosses a boundary: frozen models and the names that processes share."""
