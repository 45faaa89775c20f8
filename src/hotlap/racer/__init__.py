"""The racing world: tracks, car, walls, laps, sensors, rewards, one tick of one car, the batch, the environment."""
