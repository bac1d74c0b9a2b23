"""Sensors, controllers, physics, modules and viewers."""
