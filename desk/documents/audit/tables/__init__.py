"""The tables, tones, weights and forecasts of a report, verified."""
