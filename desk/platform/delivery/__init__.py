"""Reports sent by mail, webhook and object store."""
