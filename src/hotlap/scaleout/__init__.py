"""The same commands on many processes and many machines; the only folder that imports ray."""
