"""The client, the converter and the sandbox."""
