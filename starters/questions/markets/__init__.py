"""The markets of a question: those that it names, and whether it asks about pairs or banks."""
