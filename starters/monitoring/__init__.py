"""Commands that show running work: `desk status`, `watch`, `agents` and `messages`."""
