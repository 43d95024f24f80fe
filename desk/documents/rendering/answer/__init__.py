"""An answer as HTML, Markdown and JSON."""
