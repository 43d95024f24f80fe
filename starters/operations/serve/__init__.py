"""`desk serve`: the desk in a browser."""
