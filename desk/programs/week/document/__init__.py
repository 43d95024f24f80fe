"""The report of a week: how it is judged, compiled, rendered and audited."""
