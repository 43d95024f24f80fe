"""The answers from tickets, documents and pages."""
