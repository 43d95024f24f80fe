"""A report as Markdown, HTML and JSON, its charts, and the files it is published in."""
