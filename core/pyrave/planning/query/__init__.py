"""Queries of planning and their answers: goals, constraints, causes, the motion."""
