"""A controller with proportional, integral and derivative gains per joint."""
