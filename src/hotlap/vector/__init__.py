"""Many worlds in one array: a Gymnasium VectorEnv and an SB3 VecEnv over any world."""
