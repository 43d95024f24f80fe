"""The tone of headlines and of central banks' words."""
