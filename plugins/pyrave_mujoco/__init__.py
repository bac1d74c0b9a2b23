"""The physics engine ``mujoco``, on the library of that name.

``settings``, ``engine_blocks``
    What users and scene files choose.
``bodies``
    Bodies as MuJoCo has them: trees, joints that follow others, drives, what carries.
``geoms``
    Shapes, and what may touch what, and how.
``ties``
    Constraints, springs, loops and suction cups.
``builder``, ``scene``, ``transfer``
    The model that is written, its state, and the way of states in and out.
``contacts``, ``damping``, ``weights``, ``applied_loads``, ``unsupported_robots``
    What is read and applied around a step of ``engine``.
"""
