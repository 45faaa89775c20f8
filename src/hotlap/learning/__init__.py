"""PPO and updates of SAC for small networks: arrays in, better weights out; no world, run or library of networks."""
