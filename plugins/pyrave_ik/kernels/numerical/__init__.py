"""Damped least squares with many starts."""
