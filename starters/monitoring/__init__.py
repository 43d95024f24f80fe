"""Commands that show runs at work: `desk status`, `watch`, `agents`, `messages` and `tools`."""
