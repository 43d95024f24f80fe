"""How a server is reached: over HTTP, over pipes, in this process."""
