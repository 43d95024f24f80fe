"""The MCP servers of the desk."""
