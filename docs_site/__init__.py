"""Pages of the documentation that are written by the code they describe."""
