"""The activities that publish: a week's report, and the answer to a question."""
