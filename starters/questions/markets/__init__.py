"""The markets of a question: those that it names, and whether it asks of pairs or of banks."""
