"""The programs that run on the engine, and their analysts."""
