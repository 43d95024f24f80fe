"""The activities that publish documents, and those that look up event ids and write the archive."""
