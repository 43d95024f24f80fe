"""Stand-ins for the providers of the desk's sources, in one process: `python -m tests.standins`.

Each provider has a `PROVIDER` in a module of `providers`; it answers under its own path in the
format that the provider documents. What it tells beyond what is known is invented.
"""
