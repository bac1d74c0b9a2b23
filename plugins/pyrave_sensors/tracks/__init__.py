"""Where sensors, and what they see, were while they measured."""
