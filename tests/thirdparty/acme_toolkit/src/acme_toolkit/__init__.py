"""A bidirectional RRT, and a module that sends a robot around."""
