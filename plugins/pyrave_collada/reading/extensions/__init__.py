"""OpenRAVE's extras of bodies: manipulators, sensors, collision, grabs."""
