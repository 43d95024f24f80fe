"""The answers from measurements of markets."""
