"""Specifications, trajectories, planners, and what works on them.

``group``, ``specification``
    `ConfigurationSpecification` and its groups: what each number means.
``affine``
    Motions of a base as numbers.
"""
