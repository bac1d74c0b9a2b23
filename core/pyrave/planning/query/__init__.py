"""What is asked of planning and answered: goals, constraints, causes, the motion."""
