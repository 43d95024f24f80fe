"""Episodes of stocks for tests: what sources answer, runs, reports."""
