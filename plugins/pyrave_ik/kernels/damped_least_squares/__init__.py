"""Damped least squares with joint limits, from one start."""
