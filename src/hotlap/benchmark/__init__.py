"""The measurements, each a function and a command."""
