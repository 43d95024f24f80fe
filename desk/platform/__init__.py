"""The machine around the desk: settings, Temporal, models, delivery."""
