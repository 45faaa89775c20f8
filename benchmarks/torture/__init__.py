"""Attacks on everything that must survive: `python -m benchmarks.torture --minutes 10 --seed 0`."""
