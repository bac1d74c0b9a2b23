"""Trajectories and their specifications, planners, and functions of planning."""
