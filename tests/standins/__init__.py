"""Stand-ins for the providers of the desk's sources, in one process: `python -m tests.standins`.

Each provider is a module here with a `PROVIDER`; it answers under its own path in the format that
the provider documents. What it tells beyond what is known is invented.
"""
