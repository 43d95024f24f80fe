"""`desk eval`: how good the answers of a desk and of its models are."""
