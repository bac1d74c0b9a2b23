"""From documents to a description.

``load``, ``values``, ``rigid``
    What all parts of one load share: documents, problems, numbers, poses.
``scene``
    Where reading begins: the three scenes brought together.
``shapes``
    What is seen: nodes, geometries, materials.
``formulas``
    Joints that follow others: MathML.
``kinematics``
    Links, joints and masses of bodies.
``extensions``
    What OpenRAVE adds: manipulators, sensors, collision, what is held.
``initial_poses``, ``constraints``
    Poses of links at the start of a scene, and what holds links together.
``readables``, ``exact``
    Data of custom readers; what only pyrave's own extras say.
``mesh``
    A file as one mesh.
"""
