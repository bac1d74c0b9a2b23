"""Recent poses of sensors, and of the links that they measure."""
