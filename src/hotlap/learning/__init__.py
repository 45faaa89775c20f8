"""PPO for small networks: arrays in, better weights out; nothing here knows a world, a run or a library of networks."""
