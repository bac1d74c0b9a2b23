"""Checks of candidates and solutions of inverse kinematics solvers."""
