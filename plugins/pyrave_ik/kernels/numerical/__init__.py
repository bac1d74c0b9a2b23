"""Damped least squares from many starts."""
