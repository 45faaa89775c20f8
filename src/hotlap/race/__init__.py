"""Races: several cars on one road, with contact, slipstream, places and faults."""
