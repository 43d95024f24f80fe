"""Addresses on this machine at which tests answer in a provider's place."""
