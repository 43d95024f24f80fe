"""Whom connections over TLS trust: whom the environment names, else whom the system does."""

import ssl
from functools import cache

import httpx2


@cache
def trusted() -> ssl.SSLContext:
    """The authorities that are trusted. A client that is given none reads them for itself, in 20 to
    70 ms of its process, also where its address is none of TLS."""
    return httpx2.create_ssl_context()
