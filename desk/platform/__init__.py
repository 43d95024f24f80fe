"""What the desk runs on: settings, Temporal, the embedded server, models, MCP, memory, delivery."""
