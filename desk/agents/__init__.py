"""The agents: who they are and what each may use."""
