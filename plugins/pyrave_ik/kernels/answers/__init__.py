"""From goals to joint values: loops over held joints, turns, limits, the nearest."""
