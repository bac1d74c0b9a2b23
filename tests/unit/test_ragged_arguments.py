"""Rows of different lengths are no array: whoever takes one says so."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.environment import Environment
from pyrave.errors import ArgumentError
from pyrave.geometry import Mesh, posed_aabb, write_image
from pyrave.grasping import ContactSet
from pyrave.manipulation.pick_and_place import as_places
from pyrave.manipulation.viewpoints import are_in_cones
from pyrave.pictures.layers import Watermark
from pyrave.scene import Box, body_from_mesh

CORNERS, FACES = np.eye(3), [[0, 1, 2]]


def draw_mesh(vertices):
    with Environment() as env:
        env.draw.mesh(vertices, FACES)


def compute_hessians(rows):
    with Environment() as env:
        body = env.add(body_from_mesh("body", CORNERS, FACES))
        body.compute_hessians(rows)


CALLS = {
    "configurations": compute_hessians,
    "faces": lambda rows: Mesh(CORNERS, rows),
    "materials of faces": lambda rows: Mesh(CORNERS, FACES, face_materials=rows),
    "body": lambda rows: body_from_mesh("body", CORNERS, rows),
    "drawing": draw_mesh,
    "image": lambda rows: write_image("image.png", rows),
    "matrix": lambda rows: posed_aabb(Box((1, 1, 1)), rows),
    "contacts": lambda rows: ContactSet(rows, CORNERS[:2]),
    "watermark": Watermark.of_image,
    "cones": lambda rows: are_in_cones([np.eye(4)], rows),
    "places": as_places,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("rows", [[1, [2, 3]], [[1], [1, 2]]], ids=str)
def test_rows_of_different_lengths_are_refused(call, rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError):
        call(rows)
    assert not any(tmp_path.iterdir())


def test_places_of_both_forms_are_poses():
    first, second = as_places([np.eye(4), [1, 0, 0, 0, 0, 0, 2]])
    np.testing.assert_array_equal(first, np.eye(4))
    assert second[2, 3] == 2
