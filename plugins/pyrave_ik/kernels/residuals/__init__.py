"""Residuals of tasks and their derivatives."""
