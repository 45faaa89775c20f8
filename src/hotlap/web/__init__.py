"""The server of the game: page, physics, tracks, drivers, lap board and live training; docs/web.md is the contract."""
