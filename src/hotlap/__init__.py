"""Hotlap: teach a car to drive in a minute, then try to beat it in your browser."""

__version__ = "0.1.0"
