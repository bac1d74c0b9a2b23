"""A description is freed with its last reference, not when memory is searched."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

import pyrave
from pyrave.scene import BodyDescription

_FILES = {
    "robot.urdf": "<robot name='r'><link name='a'/></robot>",
    "robot.env.xml": "<environment><kinbody name='r'><body name='a'/></kinbody>"
    "</environment>",
    "robot.wc.xml": "<WorkCell name='w'><Frame name='a'/></WorkCell>",
}


@pytest.mark.parametrize("name", _FILES)
def test_descriptions_are_in_no_cycle(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(_FILES[name])
    pyrave.read(path)
    gc.collect()
    gc.disable()
    try:
        known = {id(one) for one in _descriptions()}
        assert pyrave.read(path) is not None
        assert {id(one) for one in _descriptions()} <= known
    finally:
        gc.enable()


def _descriptions() -> list[object]:
    kinds = (BodyDescription, pyrave.scene.SceneDescription)
    return [one for one in gc.get_objects() if isinstance(one, kinds)]
