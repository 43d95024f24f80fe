"""The agents: their declarations, and what each may use."""
