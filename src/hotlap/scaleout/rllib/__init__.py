"""One training over many machines: RLlib makes the steps, and the run is kept as every other."""
