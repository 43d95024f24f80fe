"""The sections of a week's report."""
