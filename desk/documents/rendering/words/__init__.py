"""The wording of values, verdicts and answers' prose, for all forms."""
