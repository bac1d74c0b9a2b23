"""Examples of collisions and of simulated time."""
