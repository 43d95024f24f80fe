"""Servers named in .mcp.json, asked."""
