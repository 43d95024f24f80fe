"""Whether two statements of one quantity agree: quotation, units, tolerances."""
