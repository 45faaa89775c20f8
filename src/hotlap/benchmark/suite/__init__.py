"""`hotlap suite`: a fixed, versioned set of tasks on which learning algorithms are compared."""
