"""What arms reach on grids: closed forms, inverse kinematics, questions about it."""

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.databases import Reachability
from pyrave.databases.reach import fill
from pyrave.databases.reach.fill import ReachFill
from pyrave.databases.reach.position_grid import PositionGrid
from pyrave.databases.reach.tool_chain import ToolChain
from pyrave.errors import ArgumentError, NotSupportedError, SettingError, StateError
from pyrave.geometry import rotation_grid
from pyrave.spatial import matrix_from_quat, pose_from_axis_angle

# a shoulder that turns everywhere, an elbow, links of 0.5 and 0.3 m
SHELL = scene_beside(__file__, "reachability_shell.robot.xml")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PYRAVE_DATABASE", str(tmp_path / "kept"))


def shell_arm(limits="-3.2 3.2"):
    env = pyrave.Environment()
    env.load_string(SHELL.format(limits=limits))
    return env.robots["shell"].manipulators["arm"]


@pytest.fixture(scope="module")
def heron():
    env = pyrave.load("robots/heron7.robot.xml")
    return env.robots["heron7"].manipulators["arm"]


@pytest.fixture(scope="module")
def heron_map(heron, tmp_path_factory):
    """A coarse map of the Heron, without and with self-collision."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYRAVE_DATABASE", str(tmp_path_factory.mktemp("maps")))
        yield Reachability(heron, spacing=0.25).build()


def away_from_borders(radii, *borders):
    return np.all([np.abs(radii - one) > 1e-6 for one in borders], axis=0)


# -- is it true ------------------------------------------------------------------------


def test_positions_of_a_shoulder_and_an_elbow_are_a_shell():
    arm = shell_arm()
    found = Reachability(arm, spacing=0.05, translation_only=True).build()
    radii = np.linalg.norm(found.arrays["positions"] - (0, 0, 0.2), axis=1)
    clear = away_from_borders(radii, 0.2, 0.8)
    expected = (radii >= 0.2) & (radii <= 0.8)
    assert np.array_equal(found.map.reached[0][clear], expected[clear])
    assert found.arrays["radius"] == pytest.approx([0.8])
    assert found.arrays["origin"] == pytest.approx([0, 0, 0.2])
    # an elbow with limits: the cosine rule says how near the tool comes
    arm = shell_arm("-1 2")
    found = Reachability(arm, spacing=0.05, translation_only=True).build()
    least = np.sqrt(0.5**2 + 0.3**2 + 2 * 0.5 * 0.3 * np.cos(2.0))
    clear = away_from_borders(radii, least, 0.8)
    expected = (radii >= least) & (radii <= 0.8)
    assert np.array_equal(found.map.reached[0][clear], expected[clear])


def test_a_map_says_what_inverse_kinematics_says(heron):
    chain = ToolChain.from_arm(heron)
    grid = PositionGrid(chain.origin, 0.09, chain.length)
    random = np.random.default_rng(4)
    for number in (3, 40, 66):
        rotation = matrix_from_quat(rotation_grid(0)[number])
        search = ReachFill(chain, grid, rotation)
        reached = search.fill(np.random.default_rng(number))
        cells = random.choice(grid.cells, 200, replace=False)
        poses = np.tile(np.eye(4), (200, 1, 1))
        poses[:, :3, :3], poses[:, :3, 3] = rotation, grid.points(cells)
        poses = heron.base.transform @ poses
        solved = heron.solve_ik_batch(poses).found > 0
        assert 20 < solved.sum() < 180
        assert not (reached[cells] & ~solved).any()
        assert (solved & ~reached[cells]).sum() <= 1
        # what is reached is proven by a configuration
        values = search.values[reached].astype(np.float64)
        tools = chain.tools(np.ascontiguousarray(values))
        assert np.allclose(tools[:, :9], rotation.ravel(), atol=1e-5)
        assert np.allclose(
            tools[:, 9:], grid.points(np.flatnonzero(reached)), atol=1e-5
        )
        lower, upper = chain.limits
        assert (values >= lower - 1e-6).all()
        assert (values <= upper + 1e-6).all()


def test_few_configurations_lead_everywhere(heron, monkeypatch):
    chain = ToolChain.from_arm(heron)
    grid = PositionGrid(chain.origin, 0.06, chain.length)
    rotation = matrix_from_quat(rotation_grid(0)[40])
    many = ReachFill(chain, grid, rotation).fill(np.random.default_rng(0))
    monkeypatch.setattr(fill, "_SAMPLES", (20_000, 20_000))
    few = ReachFill(chain, grid, rotation)
    seeds, places = few._seeds(np.random.default_rng(1))
    started = few._start(seeds, places)
    assert len(started) < many.sum() / 10
    few._spread(started)
    assert (few.reached != many).sum() < many.sum() / 200


def test_configurations_that_touch_the_robot_do_not_count(heron):
    given = {"spacing": 0.3, "translation_only": True}
    whole = Reachability(heron, **given).build()
    free = Reachability(heron, free_space=True, **given).build()
    assert free.key != whole.key
    # where any configuration is accepted, and where none of its kind is
    assert not (free.map.reached & ~whole.map.reached).any()
    chain = ToolChain.from_arm(heron)
    search = ReachFill(
        chain, whole.map.grid, None, accept=lambda values: values[:, 3] > 0.5
    )
    reached = search.fill(np.random.default_rng(0))
    assert 0 < reached.sum() < whole.map.reached.sum()
    assert (search.values[reached][:, 3] > 0.5).all()


def test_manipulability_is_the_volume_of_the_jacobian(heron):
    chain = ToolChain.from_arm(heron)
    values = heron.sample_configurations(50, seed=2)
    jacobians = heron.compute_jacobians(values)
    expected = np.sqrt(np.linalg.det(jacobians @ jacobians.transpose(0, 2, 1)))
    assert chain.manipulability(values) == pytest.approx(expected, rel=1e-9)
    few = ToolChain.from_arm(shell_arm())
    arm = shell_arm()
    jacobians = arm.compute_jacobians(values[:, :3])
    expected = np.sqrt(np.linalg.det(jacobians.transpose(0, 2, 1) @ jacobians))
    found = few.manipulability(np.ascontiguousarray(values[:, :3]))
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_task_depends_on_its_number_alone(heron_map):
    for index in (71, 0):
        part = heron_map._compute(index)
        assert np.array_equal(part["reached"][0], heron_map.arrays["reached"][index])


# -- questions -------------------------------------------------------------------------


def test_poses_are_found_in_their_cells(heron_map):
    reached = heron_map.map.reached
    numbers = np.arange(0, reached.size, 37)
    poses = heron_map.map.poses(numbers)
    assert np.array_equal(heron_map.map.numbers_of(poses), numbers)
    world = heron_map.arm.base.transform @ poses
    expected = reached.ravel()[numbers]
    assert np.array_equal(heron_map.contains(world), expected)
    one = heron_map.contains(world[int(np.argmax(expected))])
    assert one is True
    far = pose_from_axis_angle((0, 0, 1), 0.0)
    far[:3, 3] = 50.0
    assert heron_map.contains(far) is False


def test_samples_and_neighbours_are_reached(heron_map):
    poses = heron_map.sample_poses(200, seed=1)
    assert heron_map.contains(poses).all()
    assert np.array_equal(heron_map.sample_poses(200, seed=1), poses)
    near = heron_map.neighbours(poses[0], distance=0.3, angle=1.2)
    assert len(near) > 1
    assert np.allclose(near[0], poses[0])
    gaps = np.linalg.norm(near[:, :3, 3] - poses[0, :3, 3], axis=1)
    assert (np.diff(gaps) > -1e-9).all()
    assert gaps[-1] <= 0.3
    assert heron_map.contains(near).all()


def test_densities_are_shares_and_linear_between(heron_map):
    base = heron_map.arm.base.transform
    positions = heron_map.arrays["positions"]
    densities = heron_map.map.densities
    world = positions @ base[:3, :3].T + base[:3, 3]
    assert heron_map.density(world) == pytest.approx(densities)
    share = heron_map.map.reached.mean(axis=0)
    assert np.array_equal(share, densities)
    k = int(np.argmax(densities))
    step = base[:3, :3] @ (heron_map.map.grid.spacing, 0.0, 0.0)
    ends = heron_map.density([world[k], world[k] + step])
    middle = heron_map.density([world[k] + 0.5 * step])[0]
    assert middle == pytest.approx(ends.mean())
    assert heron_map.density([[9, 9, 9]]) == pytest.approx([0])


def test_contours_are_borders_and_are_drawn(heron_map):
    border = heron_map.contour(0.0)
    assert 0 < len(border) <= (heron_map.map.densities > 0).sum()
    drawn = heron_map.show((0.01, 0.3))
    assert len(drawn) == 2
    summary = heron_map.summary()
    assert summary["rotations"] == 72
    assert summary["reached"] == heron_map.map.reached.sum()
    again = Reachability(heron_map.arm, spacing=0.25)
    assert again.key == heron_map.key


def test_grids_of_positions():
    grid = PositionGrid(np.array([1.0, 2.0, 3.0]), 0.1, 0.35)
    assert grid.half == 3
    points = grid.points(grid.cells)
    radii = np.linalg.norm(points - grid.origin, axis=1)
    assert radii.max() <= 0.35
    axis = np.arange(-4, 5) * 0.1
    mesh = np.stack(np.meshgrid(axis, axis, axis), axis=-1)
    assert len(points) == (np.linalg.norm(mesh, axis=-1) <= 0.35).sum()
    assert np.array_equal(grid.cells_at(points + 0.049), grid.cells)
    beside = grid.origin + np.array([[0.36, 0.0, 0.0]])
    assert grid.cells_at(beside).tolist() == [-1]
    counts = grid.neighbour_counts(grid.inside)
    assert counts[grid.cells_at(grid.origin[None])].tolist() == [26]


# -- what is refused -------------------------------------------------------------------


def test_parameters_and_wrong_values():
    arm = shell_arm()
    given = Reachability(arm, rotation_spacing=0.25, radius=0.5)
    assert given.parameters["spacing"] == 0.04
    assert given._task_count() == 576
    for bad in ({"spacing": 0.0}, {"spacing": np.nan}, {"radius": -1.0}):
        with pytest.raises(SettingError):
            Reachability(arm, **bad)
    with pytest.raises(ArgumentError, match="expected a Manipulator"):
        Reachability(arm.robot)
    with pytest.raises(
        ArgumentError, match="take a larger spacing or a smaller radius"
    ):
        Reachability(arm, spacing=1e-4).build()
    with pytest.raises(ArgumentError, match="take a larger spacing"):
        Reachability(arm, spacing=1e-300).build()
    fine = Reachability(arm, spacing=0.001, radius=0.6, rotation_spacing=0.03)
    with pytest.raises(ArgumentError, match="GiB"):
        fine.build()


def test_what_is_missing_is_told():
    arm = shell_arm()
    with pytest.raises(StateError, match=r"call build\(\) or load\(\)"):
        Reachability(arm).contains(np.eye(4))
    none = Reachability(arm, spacing=0.3).build()
    assert none.map.reached.sum() < none.map.reached.size / 10
    with pytest.raises(ArgumentError, match="poses"):
        none.contains(np.zeros((3, 3)))
    with pytest.raises(ArgumentError, match="poses are not poses"):
        none.contains([[1], [1, 2]])
    with pytest.raises(ArgumentError, match="contours"):
        none.show(0.5)
    with pytest.raises(ArgumentError, match="density is 2"):
        none.contour(2.0)
    text = SHELL.format(limits="-1 1").replace("<effector>c", "<effector>base")
    arm.robot.env.load_string(text.replace('name="shell"', 'name="still"'))
    still = arm.robot.env.robots["still"].manipulators["arm"]
    with pytest.raises(ArgumentError, match="expected an arm that moves"):
        Reachability(still).build()


def test_joints_that_follow_others_are_told():
    env = pyrave.Environment()
    text = SHELL.format(limits="-1 1").replace(
        '<joint name="elbow" type="hinge">',
        '<joint name="elbow" type="hinge" enable="false" mimic_pos="0.5*pitch" '
        'mimic_vel="|pitch 0.5" mimic_accel="|pitch 0">',
    )
    env.load_string(text)
    with pytest.raises(NotSupportedError, match="follows others"):
        Reachability(env.robots["shell"].manipulators["arm"]).build()
