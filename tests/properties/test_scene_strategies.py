"""The strategies of round trips make everything that a description may hold."""

import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings
from scene_strategies import any_scenes

from pyrave import scene as descriptions

# where a description is from, and what belongs to no file
NOT_MADE = {
    *("location", "problems", "composition", "uri", "found", "written", "root"),
    *("renamable", "materials", "material_of_faces", "is_indexed", "y_up"),
}
SEEN: set[tuple[str, str]] = set()


def see(item):
    if isinstance(item, tuple | list | frozenset):
        for one in item:
            see(one)
    elif dataclasses.is_dataclass(item):
        for field in dataclasses.fields(item):
            value = getattr(item, field.name)
            default = field.default
            if field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            if default is dataclasses.MISSING or value != default:
                SEEN.add((type(item).__name__, field.name))
            see(value)


@pytest.fixture(scope="module")
def seen():
    @settings(
        max_examples=450,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(any_scenes())
    def collect(scene):
        see(scene)

    collect()
    return SEEN


def test_every_field_of_every_description_is_made(seen):
    kinds = [
        kind
        for kind in vars(descriptions).values()
        if isinstance(kind, type)
        and dataclasses.is_dataclass(kind)
        and kind.__name__ not in {"Location", "Composition", "Part", "Motor"}
    ]
    wanted = {
        (kind.__name__, field.name)
        for kind in kinds
        for field in dataclasses.fields(kind)
        if field.compare and field.name not in NOT_MADE
    }
    assert wanted - seen == set()
