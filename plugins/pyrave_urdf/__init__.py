"""URDF: robots, their SRDF, and xacro."""
