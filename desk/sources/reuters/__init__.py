"""The server `reuters`, for who has access."""
