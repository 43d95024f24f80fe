"""The workflow types, by program, and the engine they share. They order, wait and count."""
