"""How good a racing driver is: laps from every start, next to a human, the original driver and the reference lap."""
