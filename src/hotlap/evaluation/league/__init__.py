"""Leagues: drivers race each other over tracks and seeds, and are rated."""
