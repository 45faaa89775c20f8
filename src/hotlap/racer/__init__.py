"""The racing world: the physics as kernels for one car, tracks, the batch, the Gymnasium env."""
