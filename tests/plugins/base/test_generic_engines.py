"""The engines that are there when no other is installed."""

from __future__ import annotations

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave import ArgumentError, CollisionOptions, CollisionReport, NotSupportedError
from pyrave.interfaces import CollisionSide

SCENE = scene_beside(__file__, "generic_engines.env.xml")


@pytest.fixture
def env():
    env = pyrave.Environment()
    env.load_string(SCENE)
    return env


@pytest.fixture
def chain(env):
    chain = env.bodies["chain"]
    chain.dof_values = [0.3, 0.1]
    return chain


# -- physics -----------------------------------------------------------------------


def test_engine_is_the_default(env):
    engine = env.physics_engine
    assert engine.interface_id == "GenericPhysicsEngine"
    assert engine.get_physics_options() == 0
    engine.set_physics_options(0)
    with pytest.raises(ArgumentError, match="0x4"):
        engine.set_physics_options(4)


def test_engine_keeps_velocities_and_moves_nothing(env, chain):
    chain.dof_velocities = [1, -2]
    chain.base_velocity = [1, 2, 3, 4, 5, 6]
    pose, values = chain.transform, chain.dof_values
    before = env.physics_engine.get_link_velocities(chain)
    env.step(0.5)
    np.testing.assert_array_equal(chain.transform, pose)
    np.testing.assert_array_equal(chain.dof_values, values)
    np.testing.assert_array_equal(chain.dof_velocities, [1, -2])
    for link, expected in zip(chain.links, before, strict=True):
        got = env.physics_engine.get_link_velocity(link)
        np.testing.assert_array_equal(got, expected)


def test_velocities_that_joints_can_make_come_back(env, chain):
    chain.dof_velocities = [1, -2]
    chain.base_velocity = [1, 2, 3, 4, 5, 6]
    wanted = chain.dynamics.link_velocities
    chain.dof_velocities = [0, 0]
    chain.base_velocity = np.zeros(6)
    env.physics_engine.set_link_velocities(chain, wanted)
    np.testing.assert_allclose(chain.dynamics.link_velocities, wanted, atol=1e-12)
    np.testing.assert_allclose(chain.dof_velocities, [1, -2], atol=1e-12)


def test_velocity_of_one_link(env, chain):
    chain.dof_velocities = [1, -2]
    env.physics_engine.set_link_velocity(chain.links[2], [1, 2, 3], [4, 5, 6])
    np.testing.assert_allclose(chain.links[2].velocity, [1, 2, 3, 4, 5, 6])
    np.testing.assert_array_equal(chain.dof_velocities, [1, -2])


def test_wrong_velocities(env, chain):
    with pytest.raises(ArgumentError, match=r"\(3, 6\)"):
        env.physics_engine.set_link_velocities(chain, np.zeros((2, 6)))
    with pytest.raises(ArgumentError):
        env.physics_engine.set_link_velocity(chain.links[0], [0, 0], [0, 0, 0])
    wall = env.bodies["wall"]
    env.physics_engine.set_link_velocities(wall, [[1, 0, 0, 0, 0, 2]])
    np.testing.assert_array_equal(wall.links[0].velocity, [1, 0, 0, 0, 0, 2])


def test_gravity(env):
    env.physics_engine.set_gravity([0, 0, -1])
    np.testing.assert_array_equal(env.gravity, [0, 0, -1])


# -- collision ---------------------------------------------------------------------


def test_nothing_collides_and_that_is_said_once(env, chain):
    checker = env.create("collisionchecker", "GenericCollisionChecker")
    env.collision_checker = checker
    assert checker.interface_id == "GenericCollisionChecker"
    assert not env.problems
    env.bodies["wall"].transform = chain.transform
    assert not checker.check_collision(chain)
    assert not checker.check_self_collision(chain)
    report = CollisionReport()
    assert not checker.check_collision(
        chain.links[0], env.bodies["wall"], report=report
    )
    assert not report
    codes = [problem.code for problem in env.problems]
    assert codes == ["no-collision-checker"]
    assert "nothing collides" in str(env.problems[0])


def test_options(env):
    checker = env.create("collisionchecker", "GenericCollisionChecker")
    env.collision_checker = checker
    checker.set_collision_options(CollisionOptions.CONTACTS)
    assert checker.get_collision_options() is CollisionOptions.CONTACTS
    with pytest.raises(NotSupportedError, match="distances"):
        checker.set_collision_options(CollisionOptions.DISTANCE)
    checker.set_tolerance(0.1)
    with pytest.raises(ArgumentError, match="tolerance"):
        checker.set_tolerance(-1)


def test_rays_are_checked_for_real(env, chain):
    checker = env.create("collisionchecker", "GenericCollisionChecker")
    env.collision_checker = checker
    chain.transform = np.eye(4)
    ball = chain.links["b1"].transform[:3, 3]
    start = ball - np.array((0, 2, 0))
    report = CollisionReport()
    assert checker.check_ray(start, [0, 3, 0], report=report)
    (pair,) = report.pairs
    hit, link = pair.first, chain.links["b1"]
    ids = chain.id, link.id, link.geometries[0].id
    assert (hit.body_id, hit.link_id, hit.geometry_id) == ids
    assert (hit.body, hit.link, hit.geometry) == (chain, link, link.geometries[0])
    assert (hit.body_name, hit.link_name, hit.geometry_name) == ("chain", "b1", "ball")
    assert pair.second == CollisionSide()
    assert (pair.second.body_id, pair.second.body_name) == (-1, "")
    (contact,) = pair.contacts
    np.testing.assert_allclose(
        contact.position, ball - np.array((0, 0.25, 0)), atol=1e-9
    )
    np.testing.assert_allclose(contact.normal, [0, -1, 0], atol=1e-9)
    assert contact.depth == pytest.approx(-1.75)
    assert report.min_distance == pytest.approx(1.75)
    assert not env.problems


def test_a_report_says_what_was_hit_after_the_body_is_gone(env, chain):
    chain.transform = np.eye(4)
    report, number = CollisionReport(), chain.id
    assert env.collision_checker.check_ray([-3, 0, 0], [20, 0, 0], report=report)
    env.remove(chain)
    hit = report.pairs[0].first
    assert (hit.body_id, hit.body_name, chain.id) == (number, "chain", -1)


def test_range_of_a_ray_is_its_length(env):
    check = env.collision_checker.check_ray
    assert not check([0, 3, 0], [4.4, 0, 0])
    assert check([0, 3, 0], [4.6, 0, 0])
    with pytest.raises(ArgumentError, match="direction"):
        check([0, 0, 0], [0, 0, 0])


def test_rays_against_one_target(env, chain):
    check = env.collision_checker.check_ray
    chain.transform = np.eye(4)
    wall, (base, ball, _) = env.bodies["wall"], chain.links
    ray = [-3, 0, 0], [20, 0, 0]
    report = CollisionReport()
    assert check(*ray, report=report)
    assert report.pairs[0].first.body_name == "chain"
    assert check(*ray, wall, report)
    assert [pair.first.body_name for pair in report.pairs] == ["wall"]
    assert report.min_distance == pytest.approx(7.5)
    assert check(*ray, base)
    assert not check(*ray, ball)
    report.keep_previous = True
    assert check(*ray, chain, report)
    assert len(report.pairs) == 2
    assert report.min_distance == pytest.approx(2.9)


@pytest.mark.parametrize("name", ["fcl_", "ode", "bullet", "pqp", "ODE"])
def test_old_names_of_checkers_make_the_default_with_a_note(name, tmp_path, caplog):
    env = pyrave.Environment()
    default = type(env.collision_checker)
    file = tmp_path / "old.env.xml"
    checker = f'<collisionchecker type="{name}"/>'
    file.write_text(f"<environment>\n{checker}\n{checker}\n</environment>")
    with caplog.at_level("INFO", logger="pyrave"):
        env.load(file, strict=True)
    assert type(env.collision_checker) is default
    assert not env.problems
    notes = [one for one in caplog.records if "note:" in one.getMessage()]
    assert [one.levelname for one in notes] == ["INFO"]
    assert notes[0].getMessage().startswith(f"{file}:2")
    assert f"Native stands for the collision checker '{name}'" in notes[0].getMessage()


def test_names_of_checkers_that_are_there_need_no_note(caplog):
    env = pyrave.Environment()
    with caplog.at_level("INFO", logger="pyrave"):
        env.load_string(
            '<environment><collisionchecker type="Native"/></environment>', strict=True
        )
    assert not [one for one in caplog.records if "note:" in one.getMessage()]
