"""The readers of tickets, documents, files and the web."""
