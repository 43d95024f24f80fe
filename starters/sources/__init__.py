"""Commands about the sources: their tools, and how current their data are."""
