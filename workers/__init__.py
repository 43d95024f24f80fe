"""One module a role; `hosting` runs any set of them in one process."""
