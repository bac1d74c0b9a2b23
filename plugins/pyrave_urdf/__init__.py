"""URDF: robots, their SRDF, and xacro.

``packages``, ``robot_packages``
    Where packages, and robots that are installed, are found.
``reading``, ``writing``
    Files to descriptions and back.
``module``
    Commands that add robots, as or_urdf has them.
``extras``
    What files say beyond descriptions, for users.
"""
