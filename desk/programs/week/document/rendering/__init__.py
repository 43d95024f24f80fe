"""A report as HTML and Markdown."""
