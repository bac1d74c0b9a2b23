"""Inverse kinematics: analytic for any arm, with no generation step.

Every task is a closed loop of six joints: those of the arm and, for tasks that leave
something free, virtual ones (`pyrave_ik.goals`). `classify` finds a decomposition,
kernels that take the loop as data return all of its solutions.
"""
