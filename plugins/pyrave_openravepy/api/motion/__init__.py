"""Specifications, trajectories, planners, and what works on them.

``group``, ``specification``
    `ConfigurationSpecification` and its groups: what each number means.
``configuration_data``
    Values of bodies in the numbers of a configuration.
``affine``
    Motions of a base as numbers.
``trajectory``
    `Trajectory`.
``planner``, ``planner_parameters``, ``planner_status``
    `Planner`, what it is given and what it answers.
``configuration_space``, ``path_constraints``
    Spaces that specifications describe, and checks of motions in them.
``timed_trajectories``, ``waypoints``, ``trajectory_operations``, ``plain_values``,
``jitter``
    Functions of `planningutils` on trajectories, bodies and robots.
``goal_sampler``, ``denavit_hartenberg``, ``dynamics_constraint``
    Classes of `planningutils`.
"""
