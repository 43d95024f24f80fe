"""Tries policies on later dates than they were chosen by."""
