"""The workers: one module for each role. `hosting` runs any set of roles in one process."""
