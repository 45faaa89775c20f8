"""How good a driver of the highway is: held-out episodes at several densities, with and without the supervisor."""
