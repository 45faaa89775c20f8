"""One training over many machines with hotlap's own learner: each node drives its cars, gradients are averaged."""
