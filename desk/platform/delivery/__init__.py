"""Delivers reports by mail, webhook and object store."""
