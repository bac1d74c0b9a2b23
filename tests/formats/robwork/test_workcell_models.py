"""Models of WorkCells: mirror images, what has no geometry, many mesh files."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import pytest

import pyrave

if TYPE_CHECKING:
    from pathlib import Path

# a tetrahedron that is no mirror image of itself
_CORNERS = np.array([(0, 0, 0), (3, 0, 0), (0, 2, 0), (0, 0, 1)], float)
_STL = "solid a\n" + "".join(
    "facet normal 0 0 0\nouter loop\n"
    + "".join(f"vertex {x} {y} {z}\n" for x, y, z in _CORNERS[list(face)])
    + "endloop\nendfacet\n"
    for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
)


def _row(rotation, position) -> str:
    rows = np.column_stack((rotation, position))
    return " ".join(map(repr, map(float, rows.ravel())))


def _cell(transform: str, shape: str, tag: str = "Drawable") -> str:
    return (
        '<WorkCell name="cell"><Frame name="F"><RPY>0 0 0</RPY><Pos>0 0 0</Pos>'
        f'<{tag} name="d"><Transform>{transform}</Transform>{shape}</{tag}>'
        "</Frame></WorkCell>"
    )


def _load(path: Path, text: str, **options) -> pyrave.Environment:
    path.write_text(text)
    return pyrave.load(path, **options)


def _world_triangles(env: pyrave.Environment) -> np.ndarray:
    (geometry,) = env.bodies["F"].links[0].geometries
    mesh = geometry.mesh.transformed(env.bodies["F"].links[0].transform)
    mesh = mesh.transformed(geometry.transform)
    return mesh.vertices[mesh.faces]


def _volume(triangles: np.ndarray) -> float:
    a, b, c = triangles.transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("tag", ["Drawable", "CollisionModel"])
@pytest.mark.parametrize("seed", range(4))
def test_mesh_is_mirrored_by_a_matrix_that_mirrors(
    tmp_path: Path, seed: int, tag: str
) -> None:
    random = np.random.default_rng(seed)
    rotation = pyrave.spatial.matrix_from_axis_angle(random.uniform(-3, 3, 3))[:3, :3]
    mirror = rotation @ np.diag(
        [(-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, -1)][seed]
    )
    position = random.uniform(-1, 1, 3)
    (tmp_path / "t.stl").write_text(_STL)
    shape = '<Polytope file="t.stl"/>'
    env = _load(tmp_path / "a.wc.xml", _cell(_row(mirror, position), shape, tag))
    assert list(env.problems) == []
    triangles = _world_triangles(env)
    expected = _CORNERS @ mirror.T + position
    found = np.unique(triangles.reshape(-1, 3).round(9), axis=0)
    assert np.allclose(found, np.unique(expected.round(9), axis=0), atol=1e-8)
    # faces still look outwards
    assert _volume(triangles) == pytest.approx(1.0)
    # every format keeps it
    for suffix in (".env.xml", ".dae", ".wc.xml"):
        target = tmp_path / f"again{suffix}"
        pyrave.convert(tmp_path / "a.wc.xml", target)
        again = _world_triangles(pyrave.load(target))
        assert _volume(again) == pytest.approx(1.0)
        corners = np.unique(again.reshape(-1, 3).round(6), axis=0)
        assert np.allclose(corners, np.unique(expected.round(6), axis=0), atol=2e-6)


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize(
    "shape",
    [
        '<Box x="1" y="2" z="3"/>',
        '<Sphere radius="0.5"/>',
        '<Cylinder radius="0.5" z="2"/>',
        '<Cone radius="0.5" z="2"/>',
        '<Tube radius="0.5" thickness="0.1" z="2"/>',
        "<Plane/>",
    ],
)
def test_shapes_are_their_mirror_images(tmp_path: Path, shape: str, axis: int) -> None:
    signs = np.ones(3)
    signs[axis] = -1.0
    plain = _load(tmp_path / "a.wc.xml", _cell(_row(np.eye(3), np.zeros(3)), shape))
    other = _load(
        tmp_path / "b.wc.xml", _cell(_row(np.diag(signs), np.zeros(3)), shape)
    )
    origins = np.array([[0.2, 0.1, 0.3], [0.31, 0.2, -0.9], [-0.4, 0.3, 0.95]]) * 3.0
    one = plain.raycast(origins * signs, -origins * signs)
    two = other.raycast(origins, -origins)
    assert np.allclose(one.distance, two.distance, atol=1e-9)


def test_matrix_of_a_frame_is_a_rotation(tmp_path: Path) -> None:
    text = (
        '<WorkCell name="c"><Frame name="F"><Transform>1 0 0 0 0 1 0 0 0 0 -1 0'
        "</Transform></Frame></WorkCell>"
    )
    with pytest.raises(pyrave.SceneError, match="which is no rotation"):
        _load(tmp_path / "a.wc.xml", text)


def test_model_without_geometry_is_left_out(tmp_path: Path) -> None:
    text = (
        '<WorkCell name="c"><Frame name="F"><RPY>0 0 0</RPY><Pos>0 0 0</Pos>\n'
        '<Drawable name="none"><RPY>0 90 0</RPY><Pos>0 0 0</Pos></Drawable>'
        '<Drawable name="box"><RPY>0 0 0</RPY><Pos>0 0 0</Pos><Box x="1" y="1" z="1"/>'
        "</Drawable></Frame></WorkCell>"
    )
    env = _load(tmp_path / "a.wc.xml", text)
    (problem,) = env.problems
    assert (problem.code, problem.line) == ("empty-model", 2)
    assert "'none' has no geometry; it is left out" in problem.message
    assert len(env.bodies["F"].links[0].geometries) == 1
    with pytest.raises(pyrave.SceneError, match="has no geometry"):
        _load(tmp_path / "a.wc.xml", text, strict=True)


@pytest.mark.parametrize("inside", ["", "<AxelWidth>1</AxelWidth>"])
def test_mobile_device_without_frames_is_left_out(tmp_path: Path, inside: str) -> None:
    text = (
        '<WorkCell name="c"><Frame name="F"/>'
        f'<MobileDevice name="M" basename="B">{inside}</MobileDevice></WorkCell>'
    )
    env = _load(tmp_path / "a.wc.xml", text)
    assert [problem.code for problem in env.problems] == ["empty-device"]
    assert len(env.robots) == 0


def _many(folder: Path, count: int) -> Path:
    for number in range(count):
        (folder / f"m{number}.stl").write_text(_STL)
    models = "".join(
        f'<Drawable name="d{n}"><RPY>0 0 0</RPY><Pos>0 0 0</Pos>'
        f'<Polytope file="m{n}"/></Drawable>'
        for n in range(count)
    )
    path = folder / "many.wc.xml"
    path.write_text(
        '<WorkCell name="c"><Frame name="F"><RPY>0 0 0</RPY><Pos>0 0 0</Pos>'
        f"{models}</Frame></WorkCell>"
    )
    return path


def test_more_than_a_thousand_meshes_are_read_and_written(tmp_path: Path) -> None:
    path = _many(tmp_path, 1001)
    assert pyrave.convert(path, tmp_path / "again.dwc.xml") is not None
    for file in (path, tmp_path / "again.dwc.xml"):
        env = pyrave.load(file)
        assert len(env.bodies["F"].links[0].geometries) == 1001


def test_a_thousand_meshes_that_are_not_there_are_refused(tmp_path: Path) -> None:
    path = _many(tmp_path, 1001)
    for file in tmp_path.glob("*.stl"):
        file.unlink()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(pyrave.SceneError, match="more than 1000 mesh files"):
            pyrave.load(path)


def test_device_on_a_frame_that_moves_is_read_as_it_was_written(tmp_path: Path) -> None:
    box = '<Box x="1" y="1" z="1"/>'
    zero = "<RPY>0 0 0</RPY><Pos>0 0 0</Pos>"
    text = (
        f'<WorkCell name="cell"><Frame name="Table">{zero}<Drawable name="t">{box}'
        "</Drawable></Frame>"
        '<Frame name="Ref" refframe="Table" type="Movable"><RPY>0 0 0</RPY>'
        "<Pos>0 0 0.1</Pos></Frame>"
        f'<SerialDevice name="Arm"><Frame name="Base">{zero}<Drawable name="b">{box}'
        f'</Drawable></Frame><Frame name="BaseMov" type="Movable">{zero}</Frame>'
        '<Joint name="J" type="Revolute"><RPY>0 0 0</RPY><Pos>0 0 1</Pos>'
        f'<Drawable name="g">{box}</Drawable></Joint></SerialDevice></WorkCell>'
    )
    (tmp_path / "a.wc.xml").write_text(text)
    losses = pyrave.convert(tmp_path / "a.wc.xml", tmp_path / "b.dwc.xml")
    assert any(
        "bases that stand in frames that move are fixed" in one for one in losses
    )
    before, after = (
        pyrave.load(tmp_path / "a.wc.xml"),
        pyrave.load(tmp_path / "b.dwc.xml"),
    )
    assert list(after.problems) == []
    assert list(after.bodies.names) == list(before.bodies.names)
    for one in before.bodies:
        for link in after.bodies[one.name].links:
            assert np.allclose(link.transform, one.links[link.name].transform)
