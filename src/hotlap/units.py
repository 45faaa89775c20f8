"""Units as people name them, in those that the worlds reckon in; a mile an hour belongs to the highway."""

KMH_PER_MPS = 3.6
"""Kilometres an hour in a metre per second."""
SECONDS_PER_HOUR = 3600.0
