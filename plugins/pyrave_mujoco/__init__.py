"""The physics engine ``mujoco``, on the library of that name."""
