"""Reads URDF: ``robot`` from the ``document``, each element in a module of its name."""
