"""The client's side of MCP: connections to the servers named in .mcp.json, and calls of their
tools."""
