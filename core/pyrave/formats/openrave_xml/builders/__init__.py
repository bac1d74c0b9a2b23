"""Builders of bodies from what the elements of OpenRAVE XML say."""
