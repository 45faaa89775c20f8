"""Measurements that only prove our own targets: `python -m benchmarks.NAME --help`."""
