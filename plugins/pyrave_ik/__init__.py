"""Inverse kinematics: analytic for any arm, with no generation step.

Every task is a closed loop of six joints: those of the arm and, for tasks that leave
something free, virtual ones. Kernels that take the loop as data return all of its
solutions. Each room imports only those above it:

==================  ================================================================
`kernels`           numeric functions that numba compiles: `closed_forms`,
                    `elimination` and `iteration` solve loops, `redundancy` arms of
                    seven joints, `singular` singular poses
`arm`               an arm as screws, goals as loops, turns, residuals
`methods`           how loops are solved: `decomposition` chooses that of an arm, and
                    `kernel_choice` the kernels which serve it; least squares
`coupled_joints`    joints that move several axes, bases that move
`solver`            the interfaces: calls, limits, joints to spare, checks, results
`tools`             the command, statistics, reachability
==================  ================================================================
"""
