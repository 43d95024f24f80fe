"""The statements of agents and what follows from them: claims, verdicts, results, cases for a
person."""
