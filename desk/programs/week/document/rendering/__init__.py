"""Renders a report as HTML and as Markdown."""
