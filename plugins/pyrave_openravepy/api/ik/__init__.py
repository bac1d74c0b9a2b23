"""Inverse kinematics: goals, solvers, filters and answers."""
