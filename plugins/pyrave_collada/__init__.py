"""COLLADA 1.4 and 1.5, with the robot extensions of OpenRAVE: scenes and meshes.

``document``
    One file: its archive, its XML, its numbers, and how its elements name each other.
``reading``
    From documents to a description: visual, kinematics and physics scenes.
``writing``
    From a description to a document.
``animations``
    Trajectories of joints as animations of a file, and back. For scripts.
``information``
    What readables of COLLADA mean: parameters, hints for solvers. For scripts.
``hooks``
    What the plugin registers.

Each imports only those above it; `information` stands alone, and `hooks` imports the
others when something is read or written.
"""
