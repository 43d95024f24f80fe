"""The engine's logic, without Temporal: who works on what, how far it is, what was said."""
