"""The activities that publish documents, and those around them that look up and archive."""
