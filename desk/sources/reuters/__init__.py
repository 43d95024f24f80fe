"""The server `reuters`, which needs an account at LSEG."""
