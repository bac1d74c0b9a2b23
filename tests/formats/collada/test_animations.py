"""Animations of COLLADA as trajectories of joints."""

from __future__ import annotations

import math

import numpy as np
import pytest
from collada_documents import Robot, written

import pyrave
from pyrave import SceneError
from pyrave_collada.animations import read_trajectories, reader, samplers


def animation(target, times, values, kind="LINEAR", tangents=None, key="a"):
    """Return an ``<animation>`` with one channel."""

    def source(name, numbers, tag="float_array"):
        text = " ".join(map(str, np.ravel(numbers)))
        return f'<source id="{key}_{name}"><{tag} count="9">{text}</{tag}></source>'

    parts = {"INPUT": times, "OUTPUT": values}
    if tangents is not None:
        parts |= {"IN_TANGENT": tangents[0], "OUT_TANGENT": tangents[1]}
    sources = "".join(source(name, part) for name, part in parts.items())
    kinds = [kind] * len(times) if isinstance(kind, str) else kind
    if kinds:
        sources += source("INTERPOLATION", kinds, "Name_array")
        parts["INTERPOLATION"] = kinds
    inputs = "".join(
        f'<input semantic="{name}" source="#{key}_{name}"/>' for name in parts
    )
    return f"""<animation id="{key}">{sources}<sampler id="{key}_sampler">{inputs}
    </sampler><channel source="#{key}_sampler" target="{target}"/></animation>"""


def trajectories(folder, *animations, strict=True, **fields):
    library = f"<library_animations>{''.join(animations)}</library_animations>"
    path = written(folder, "robot.dae", Robot(libraries=library, **fields))
    return read_trajectories(path, strict=strict)


VALUE = "kscene_kmodel1_inst_joint{}.axis0_value"
TARGETS = [
    ("visual1/node1/turn.ANGLE", "visual1/node2/slide.X"),
    ("node1/turn.ANGLE", "node2/slide.X"),
    (
        f"kscene/body1_motion_inst/{VALUE.format(0)}",
        f"kscene/body1_motion_inst/{VALUE.format(1)}",
    ),
    (
        "body1_kinematics/kmodel1_inst/joint0/axis0",
        "body1_kinematics/kmodel1_inst/joint1/axis0",
    ),
]


@pytest.mark.parametrize("targets", TARGETS, ids=["nodes", "ids", "values", "axes"])
def test_joints_over_time(tmp_path, targets):
    (found,) = trajectories(
        tmp_path,
        animation(targets[0], [0, 1, 3], [0, 90, -90]),
        animation(targets[1], [1, 2], [100, 300], key="b"),
        unit='<unit name="millimeter" meter="0.001"/>',
    )
    assert (found.body, found.dof_indices.tolist()) == ("rover", [0, 1])
    assert found.interpolation == "linear"
    assert found.times.tolist() == [0, 1, 2, 3]
    half = math.pi / 2
    np.testing.assert_allclose(found.values[:, 0], [0, half, 0, -half], atol=1e-15)
    np.testing.assert_allclose(found.values[:, 1], [0.1, 0.1, 0.3, 0.3])


def test_a_trajectory_of_an_environment(tmp_path):
    (found,) = trajectories(
        tmp_path, animation(TARGETS[0][0], [0.5, 1.5], [0, 90])
    )  # fmt: skip
    env = pyrave.load(tmp_path / "robot.dae")
    made = found.trajectory(env)
    assert made.duration == 1.5
    robot = env.robots["rover"]
    robot.dof_values = [made.sample(1.0)[0], 0.0]
    assert robot.joints["joint0"].values[0] == pytest.approx(math.pi / 4)


def test_degrees_of_freedom_are_in_the_order_of_the_body(tmp_path):
    from collada_documents import technique

    bind = '<bind_actuator joint="joint1"/>'
    (found,) = trajectories(
        tmp_path,
        animation(TARGETS[0][0], [0, 1], [0, 180]),
        motion=technique("attach_actuator", bind),
    )
    assert found.dof_indices.tolist() == [1]


def test_values_that_hold(tmp_path):
    (found,) = trajectories(
        tmp_path, animation(TARGETS[0][1], [0, 1, 2], [0, 1, 0.5], "STEP")
    )
    assert found.interpolation == "previous"
    env = pyrave.load(tmp_path / "robot.dae")
    made = found.trajectory(env)
    assert [made.sample(t)[0] for t in (0.5, 1.0, 1.9, 2.0)] == [0.0, 1.0, 1.0, 0.5]


def test_bent_curves_are_met_at_their_points(tmp_path):
    # x = t^3 over one second, as a Bezier curve with even steps of time
    inward, outward = [[-1, 0], [2 / 3, 0]], [[1 / 3, 0], [2, 0]]
    (found,) = trajectories(
        tmp_path,
        animation(TARGETS[0][1], [0, 1], [0, 1], "BEZIER", (inward, outward)),
    )
    np.testing.assert_allclose(found.values[:, 0], found.times**3, atol=1e-9)
    assert len(found.times) == 17


def test_hermite_curves(tmp_path):
    # x = t^2: slopes 0 and 2 over a second
    inward, outward = [[1, 0], [1, 2]], [[1, 0], [1, 2]]
    (found,) = trajectories(
        tmp_path,
        animation(TARGETS[0][1], [0, 1], [0, 1], "HERMITE", (inward, outward)),
    )
    np.testing.assert_allclose(found.values[:, 0], found.times**2, atol=1e-9)


def test_pieces_of_several_kinds(tmp_path):
    (found,) = trajectories(
        tmp_path,
        animation(TARGETS[0][1], [0, 1, 2], [0, 1, 0], ["STEP", "LINEAR", "LINEAR"]),
    )
    sampled = np.interp([0.5, 0.999999, 1.5], found.times, found.values[:, 0])
    np.testing.assert_allclose(sampled, [0, 0, 0.5], atol=1e-5)


def test_a_whole_transform_may_be_animated(tmp_path):
    (found,) = trajectories(
        tmp_path,
        animation("node1/turn", [0, 1], [[0, 0, 1, 0], [0, 0, 1, 90]]),
        animation("node2/slide", [0, 1], [[0, 0, 0], [0.5, 7, 0]], key="b"),
    )
    np.testing.assert_allclose(found.values[1], [math.pi / 2, 0.5])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (animation("nothing/turn.ANGLE", [0, 1], [0, 1]), "is not found"),
        (animation("visual1", [0, 1], [0, 1]), "drives no joint"),
        (animation(TARGETS[0][0], [1, 0], [0, 1]), "times do not rise"),
        (animation(TARGETS[0][0], [0, 1], [0, 1, 2]), "3 finite values for 2 keys"),
        (animation(TARGETS[0][0], [0, "x"], [0, 1]), "no number"),
        (animation(TARGETS[0][0], [0, 1], [0, 1], "WAVY"), "'WAVY' is not known"),
        (animation(TARGETS[0][0], [0, 1], [0, 1], "BEZIER"), "IN_TANGENT"),
        (animation(TARGETS[0][0], [], []), "0 keys"),
        (animation("node2/slide.Y", [0, 1], [0, 1]), "do not move a slide"),
        (animation(TARGETS[0][0], [0, 1], [0, 1e300]), "absurdly large"),
        (animation(TARGETS[0][0], [-1e300, 1e300], [0, 1]), "absurdly large"),
        ('<animation><channel source="#n" target="node1/turn"/></animation>', "'#n'"),
    ],
)
def test_wrong_animations_move_nothing(tmp_path, wrong, message):
    right = animation(TARGETS[0][1], [0, 1], [0, 1], key="right")
    (found,) = trajectories(tmp_path, wrong, right, strict=False)
    assert found.dof_indices.tolist() == [1]
    with pytest.raises(SceneError) as caught:
        read_trajectories(tmp_path / "robot.dae", strict=True)
    problem = caught.value.first
    assert problem.code == "bad-animation"
    assert message in problem.message
    assert problem.line


def test_a_file_without_animations(tmp_path):
    assert read_trajectories(written(tmp_path, "r.dae", Robot())) == ()


def test_an_axis_that_rests_moves_nothing(tmp_path):
    resting = '<prismatic sid="still"><axis>0 0 0</axis></prismatic>'
    target = "body1_kinematics/kmodel1_inst/joint0/still"
    library = animation(target, [0, 1], [0, 1])
    text = str(Robot(libraries=f"<library_animations>{library}</library_animations>"))
    text = text.replace("</revolute>", f"</revolute>{resting}", 1)
    path = written(tmp_path, "robot.dae", text)
    assert read_trajectories(path) == ()
    with pytest.raises(SceneError, match="'joint0' has no freedom to move"):
        read_trajectories(path, strict=True)


@pytest.fixture
def parsed(monkeypatch):
    """The elements whose numbers are read, each time they are."""
    parse, found = samplers.parse_numbers, []
    monkeypatch.setattr(
        samplers,
        "parse_numbers",
        lambda element, dtype: found.append(element) or parse(element, dtype),
    )
    return found


def test_a_curve_that_many_channels_name_is_read_once(tmp_path, monkeypatch, parsed):
    monkeypatch.setattr(reader, "_MAX_CELLS", 6)
    one = animation(TARGETS[0][0], [0, 1], [0, 90])
    channel = one[one.index("<channel") : one.index("</animation>")]
    many = one.replace(channel, channel * 5)
    with pytest.raises(SceneError) as caught:
        trajectories(tmp_path, many)
    assert ["more than 6 keys" in str(found) for found in caught.value.problems] == [
        *(True, True),
    ]
    assert len(parsed) == 2


def test_a_curve_that_cannot_be_read_is_tried_once(tmp_path, parsed):
    one = animation(TARGETS[0][0], [0, "x"], [0, 90])
    channel = one[one.index("<channel") : one.index("</animation>")]
    assert trajectories(tmp_path, one.replace(channel, channel * 5), strict=False) == ()
    assert len(parsed) == 1


def test_sources_that_many_samplers_name_are_read_for_a_while(tmp_path, monkeypatch):
    # "0 1", "0 90" and "LINEAR LINEAR" in each sampler
    monkeypatch.setattr(samplers, "_MAX_LETTERS", 3 * 20)
    one = animation(TARGETS[0][0], [0, 1], [0, 90])
    start, end = one.index("<sampler"), one.index("</animation>")
    several = "".join(one[start:end].replace("_sampler", f"_{n}") for n in range(6))
    with pytest.raises(SceneError) as caught:
        trajectories(tmp_path, one[:start] + several + one[end:])
    messages = [problem.message for problem in caught.value.problems]
    assert ["more than 60 characters" in one for one in messages] == [True] * 3
