"""A market's section of the report."""
