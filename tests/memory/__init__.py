"""The desk's memory: what a test builds of it, and how well it finds what is meant."""
