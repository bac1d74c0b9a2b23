"""COLLADA 1.4 and 1.5, with the robot extensions of OpenRAVE: scenes and meshes.

``information``
    What readables of COLLADA mean: parameters, hints for solvers. For scripts, too.
``document``
    One file: its archive, its XML, its numbers, and how its elements name each other.
``reading``
    From documents to a description: visual, kinematics and physics scenes.
``writing``
    From a description to a document.
``animations``
    Trajectories of joints as animations of a file, and back. For scripts.
``hooks``
    What the plugin registers.

Each imports only those above it; `hooks` does when something is read or written.
"""
