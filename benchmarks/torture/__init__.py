"""Attacks on everything that must survive: `make torture ARGS="--minutes 10 --seed 0"`; it borrows from the tests."""
