"""The tone of headlines, and the stance of central banks' texts."""
