"""`pyrave info` against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
from scene_files import scene_beside

SCENE = scene_beside(__file__, "info_scene.env.xml")
MESH = scene_beside(__file__, "info_mesh.env.xml")


def test_values_of_a_body(pyrave, scene):
    path = scene(SCENE)
    result = pyrave("info", path, "--json")
    assert result.code == 0
    data = result.data
    assert data["schema"] == "pyrave-info/2"
    assert data["problems"] == []
    (body,) = data["bodies"]
    assert body["name"] == "stick"
    assert body["dof_values"] == [math.pi / 2]
    np.testing.assert_allclose(body["dof_limits"], [[-math.pi / 2], [math.pi / 2]])
    assert body["dof_velocity_limits"] == [2.0]
    assert body["dof_torque_limits"] == [7.0]
    assert body["mass"] == 3.0
    # turned by a quarter about y the tip is at x = 1.5, the base at x = 1
    base, tip = body["links"]
    np.testing.assert_allclose(
        np.array(tip["transform"])[:3, 3], (1.5, 0, 0), atol=1e-12
    )
    np.testing.assert_allclose(body["center_of_mass"], (3.5 / 3, 0, 0), atol=1e-12)
    np.testing.assert_allclose(body["aabb"]["pos"], (1.25, 0, 0), atol=1e-12)
    np.testing.assert_allclose(body["aabb"]["extents"], (0.35, 0.2, 0.3), atol=1e-12)
    np.testing.assert_allclose(
        np.diag(base["local_inertia"]),
        2 / 3 * np.array((0.04 + 0.09, 0.01 + 0.09, 0.01 + 0.04)),
    )
    assert base["static"]
    assert not tip["static"]
    assert tip["geometries"][0]["type"] == "sphere"
    assert tip["geometries"][0]["radius"] == 0.1
    assert tip["geometries"][0]["diffuse_color"] == [1.0, 0.0, 0.0]
    assert base["geometries"][0]["half_extents"] == [0.1, 0.2, 0.3]
    (joint,) = body["joints"]
    assert (joint["type"], joint["parent_link"], joint["child_link"]) == (
        "hinge",
        "base",
        "tip",
    )
    np.testing.assert_allclose(joint["anchor"], (1, 0, 0), atol=1e-12)
    np.testing.assert_allclose(joint["axes"][0]["axis"], (0, 1, 0), atol=1e-12)
    assert joint["velocity_limits"] == [[-2.0], [2.0]]
    assert body["adjacent_links"] == [[0, 1]]
    assert body["non_adjacent_links"] == []


def test_what_a_missing_mesh_would_say_is_null_and_reported(pyrave, scene):
    result = pyrave("info", scene(MESH), "--json")
    assert result.code == 0
    (body,) = result.data["bodies"]
    assert body["aabb"] is None
    base, other = body["links"]
    assert base["aabb"] is None
    assert base["geometries"][0]["aabb_linkframe"] is None
    assert base["geometries"][0]["mesh"]["n_faces"] is None
    assert other["aabb"]["extents"] == [1.0, 1.0, 1.0]
    texts = [problem["message"] for problem in result.data["problems"]]
    assert any("thing.unheardof" in text for text in texts)
    # the warning of the load is on the terminal, not in the data's stream
    assert "thing.unheardof" in result.err


def test_robot_parts(pyrave, environments):
    result = pyrave("info", environments / "robots" / "heron7.robot.xml", "--json")
    assert result.code == 0
    (body,) = result.data["bodies"]
    robot = body["robot"]
    (arm,) = robot["manipulators"]
    assert arm["arm_indices"] == [0, 1, 2, 3, 4, 5, 6]
    assert arm["gripper_indices"] == [7]
    assert arm["gripper_joints"] == ["left_finger_joint"]
    assert arm["chucking_direction"] == [-1]
    # straight up: flange 1.25 m, tool 0.155 m further
    np.testing.assert_allclose(
        np.array(arm["transform"])[:3, 3], (0, 0, 1.405), atol=1e-12
    )
    (mounted,) = robot["attached_sensors"]
    assert mounted["link"] == "palm"
    geometry = mounted["sensor"]["geometry"]
    assert geometry["type"] == "laser"
    np.testing.assert_allclose(geometry["max_angle"], math.radians(70))
    assert robot["controller"] == "IdealController"
    names = [joint["name"] for joint in body["passive_joints"]]
    assert names == ["right_finger_joint", "palm_mount"]
    follower = body["passive_joints"][0]
    assert follower["mimic"][0]["position"] == "left_finger_joint"
    assert follower["axes"][0]["mimic"] is True
    assert body["passive_joints"][1]["static"] is True
    assert result.data["environment"]["sensors"][0]["name"] == "heron7:laser"


def test_numbers_that_json_lacks_are_text():
    from pyrave.summary import plain, to_json

    given = {"a": np.array([1.0, np.inf, -np.inf, np.nan]), "b": np.float64(2.5)}
    assert plain(given) == {"a": [1.0, "inf", "-inf", "nan"], "b": 2.5}
    assert to_json([[1, 2], {"x": []}]) == '[\n  [1, 2],\n  {\n    "x": []\n  }\n]'


def test_human_form_names_everything(pyrave, environments):
    result = pyrave("info", environments / "scenes" / "shelf.env.xml")
    assert result.code == 0
    for word in ("heron7", "rover", "joint4", "laser", "bottle", "IdealController"):
        assert word in result.out
    assert result.err == ""


CONTACTS = """<kinbody name="stool"><body name="seat"><pyrave><set name="contacts">[
  {"type": "ContactDescription", "name": "leg", "shape": {"type": "Cylinder",
   "radius": 0.02, "height": 0.4}, "max_normal_force": 300},
  {"type": "ContactDescription", "shape": {"type": "Sphere", "radius": 0.1}}
]</set></pyrave></body></kinbody>
"""


def test_contacts_of_links(pyrave, scene):
    path = scene(CONTACTS, "stool.kinbody.xml")
    leg, ball = pyrave("info", path, "--json").data["bodies"][0]["links"][0]["contacts"]
    assert leg == {
        "name": "leg",
        "type": "cylinder",
        "transform": np.eye(4).tolist(),
        "radius": 0.02,
        "height": 0.4,
        "mesh": None,
        "normals": [[0, 0, 1], [0, 0, -1]],
        "max_normal_force": 300,
    }
    assert ball["normals"] == []
    assert ball["max_normal_force"] == "inf"
    shown = pyrave("info", path).out
    assert "contact leg (cylinder) on seat, bears up to 300 N" in shown
    assert "contact sphere (sphere) on seat, bears any load" in shown
