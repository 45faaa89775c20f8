"""The highway world: missions in traffic on a straight road, driven by a policy and guarded by rules."""
