"""The desk's MCP client: connections to the servers named in .mcp.json, and calls of their
tools."""
