"""The figures of a document: what each rests on, and how a page links to that."""
