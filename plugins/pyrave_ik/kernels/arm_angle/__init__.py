"""Arms with a spherical shoulder and wrist, by the angle of their elbow."""
