"""Examples of cameras, sensors and viewers."""
