"""Residuals of goals and their derivatives."""
