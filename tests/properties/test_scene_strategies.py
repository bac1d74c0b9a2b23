"""The strategies of round trips make everything that a description may hold."""

import contextlib
import dataclasses

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from scene_strategies import any_scenes

from pyrave import scene as descriptions

# tools that are mounted and grippers have tests of their own, format by format
NOT_IN_SCENES = {"Location", "Composition", "Part", "Motor", "Surface", "Texture"}
NOT_IN_SCENES |= {"ConnectedBodyDescription", "GripperDescription"}
# where a description is from, and what belongs to no file, or to files of meshes
NOT_MADE = {
    *("location", "problems", "composition", "uri", "found", "written", "root"),
    *("connected_bodies", "grippers"),
    *("renamable", "materials", "material_of_faces", "is_indexed", "y_up", "texture"),
}


def fields_in(item):
    """Yield types and names of the fields that differ from their defaults."""
    if isinstance(item, tuple | list | frozenset):
        for one in item:
            yield from fields_in(one)
    elif dataclasses.is_dataclass(item):
        for field in dataclasses.fields(item):
            value = getattr(item, field.name)
            default = field.default
            if field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            if default is dataclasses.MISSING or value != default:
                yield type(item).__name__, field.name
            yield from fields_in(value)


def test_every_field_of_every_description_is_made():
    kinds = [
        kind
        for kind in vars(descriptions).values()
        if isinstance(kind, type)
        and dataclasses.is_dataclass(kind)
        and kind.__name__ not in NOT_IN_SCENES
    ]
    missing = {
        (kind.__name__, field.name)
        for kind in kinds
        for field in dataclasses.fields(kind)
        if field.compare and field.name not in NOT_MADE
    }

    def is_last_needed(scene):
        missing.difference_update(fields_in(scene))
        return not missing

    search = settings(
        max_examples=450,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
        phases=[Phase.generate],
    )
    with contextlib.suppress(NoSuchExample):
        find(any_scenes(), is_last_needed, settings=search)
    assert missing == set()
