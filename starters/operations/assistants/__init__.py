"""The desk for an assistant: its sources and itself as MCP servers, in the assistant's own file."""
