"""Under which name a worker polls, so that it can be found again."""

import socket

from workers.hosting import Role


def worker_identity(role: Role) -> str:
    """`research@host-1`: the role and the machine, or the container, that it runs on."""
    return f"{role}@{socket.gethostname()}"
