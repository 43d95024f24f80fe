"""Units, figures and formulas: arithmetic that knows no agent."""
