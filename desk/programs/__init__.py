"""The programs that run on the engine, and the analysts that work for them."""
