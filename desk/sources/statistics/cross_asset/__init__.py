"""The server `cross_asset`: yields, a dollar index, oil and stocks."""
