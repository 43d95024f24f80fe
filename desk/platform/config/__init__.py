"""desk.toml and the environment, read into settings."""
