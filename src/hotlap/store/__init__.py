"""What is remembered in SQLite: laps that were driven and checked."""
