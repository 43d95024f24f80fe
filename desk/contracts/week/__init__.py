"""A week's plan, run and report."""
