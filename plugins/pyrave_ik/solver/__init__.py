"""The solvers as pyrave's interface has them: calls, limits, checks, results."""
