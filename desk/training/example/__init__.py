"""`python -m desk.training.example`: a small policy, trained for a minute, against others."""
