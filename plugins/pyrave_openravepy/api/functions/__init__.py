"""Functions of the module on rotations, quaternions and poses, one or many.

``rotations``
    Quaternions, axes with angles and matrices of rotations.
``transforms``
    Poses: seven numbers, or matrices.
``arrays``
    The same for many at once.
"""
