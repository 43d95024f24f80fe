"""`desk eval`: how good a desk's answers are, and its models."""
