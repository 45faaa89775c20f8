"""The page in a real browser; a package, so that one browser can be opened and closed for all of it."""
