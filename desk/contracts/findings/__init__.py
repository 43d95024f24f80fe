"""What agents state and what becomes of it: claims, verdicts, results, cases for a person."""
