"""The certificate authorities that TLS connections trust: the environment's, else the system's."""

import ssl
from functools import cache

import httpx2


@cache
def tls_context() -> ssl.SSLContext:
    """The TLS context with the trusted authorities. A client without one loads them itself, which
    takes 20 to 70 ms, even if its address does not use TLS."""
    return httpx2.create_ssl_context()
