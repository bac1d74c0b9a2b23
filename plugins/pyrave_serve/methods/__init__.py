"""The methods that clients may call; `METHODS` is all there is."""

from __future__ import annotations

from collections.abc import Mapping

from pyrave_serve.methods import arms, bodies, collisions, objects, scene, time
from pyrave_serve.methods.method import Method

_GROUPS = (scene, bodies, arms, collisions, time, objects)

METHODS: Mapping[str, Method] = {
    method.name: method
    for group in _GROUPS
    for method in map(Method.from_function, group.METHODS)
}
"""Methods by name, in the order of the documentation."""
