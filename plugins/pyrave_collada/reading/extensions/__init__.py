"""What OpenRAVE's extras add to bodies: manipulators, sensors, collision, grabs."""
