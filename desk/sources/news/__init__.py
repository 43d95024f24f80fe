"""The server `google_news`: headlines."""
