"""What is written in tickets, documents and pages, as it answers a question."""
