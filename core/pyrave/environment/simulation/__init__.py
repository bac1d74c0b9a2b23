"""Simulation steps, and the objects that take part in them."""
