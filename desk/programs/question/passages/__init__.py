"""The passages of documents that speak to a question."""
