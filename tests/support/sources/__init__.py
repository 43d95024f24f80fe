"""MCP servers of tests, and the desk's own behind wires that fail."""
