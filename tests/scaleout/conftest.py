"""Tests that need Ray are collected only where it is: `make test` runs them in an environment of their own."""

import importlib.util

collect_ignore = [] if importlib.util.find_spec("ray") else ["on_ray"]
