"""Many trainings from one file: what to try, who goes on, how they did."""
