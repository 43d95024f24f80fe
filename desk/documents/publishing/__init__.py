"""Publishing documents: all files of a document, or none."""
