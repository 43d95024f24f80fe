"""The desk's side of Temporal: client, data converter, sandbox, deployment version, histories."""
