"""How good a driver is in races."""
