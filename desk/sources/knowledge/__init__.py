"""The server `knowledge`: tickets, documents, files and pages."""
