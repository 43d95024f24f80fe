"""The desk for an assistant: its sources and the desk itself as MCP servers, in the client's
file."""
