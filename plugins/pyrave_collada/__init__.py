"""COLLADA 1.4 and 1.5, with the robot extensions of OpenRAVE: scenes and meshes."""
