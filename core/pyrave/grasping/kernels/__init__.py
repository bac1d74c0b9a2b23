"""Loops over contacts and wrenches, on arrays alone."""
