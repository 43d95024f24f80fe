"""The figures of a document: the trace of each, and the links to them."""
