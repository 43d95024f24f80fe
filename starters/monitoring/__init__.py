"""Commands that show runs at work: `desk status`, `watch`, `agents` and `messages`."""
