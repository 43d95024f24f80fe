"""Units, figures, formulas, series and names: computations that know no agent."""
