"""``pyrave run``: how long, with which engine, and what is kept of it."""

from __future__ import annotations

import numpy as np
import pytest
from scene_files import scene_beside

from pyrave.environment import Environment
from pyrave.geometry import encode_png

BALL = scene_beside(__file__, "run_ball.env.xml")


@pytest.fixture
def scene(tmp_path):
    def write(engine=""):
        path = tmp_path / "ball.env.xml"
        path.write_text(BALL.format(engine=engine))
        return path

    return write


def test_time_in_place_of_steps(pyrave, scene):
    data = pyrave("run", scene(), "--time", "0.3", "--dt", "0.02", "--json").data
    assert data["steps"] == 15
    assert data["simulation_time"] == 0.3
    assert data["physics_engine"] == "GenericPhysicsEngine"
    assert data["energy_drift"] is data["largest_penetration"] is None


def test_steps_and_time_together_are_refused(pyrave, scene):
    done = pyrave("run", scene(), "--time", "0.3", "--steps", "2")
    assert done.code == 2
    assert "--steps and --time both say how long" in done.err


@pytest.mark.parametrize("name", ["--record", "--plot"])
@pytest.mark.parametrize("place", ["out.txt", "missing/out.npz", "missing/out.png"])
def test_results_that_cannot_be_written_are_refused_first(
    pyrave, scene, tmp_path, name, place
):
    done = pyrave("run", scene(), name, tmp_path / place)
    ending = {"--record": ".npz", "--plot": ".png"}[name]
    if place.endswith(ending):
        code, fault = 1, "missing"
    else:
        code, fault = 2, f"expected a name in {ending}"
    assert done.code == code
    assert fault in done.err
    assert not list(tmp_path.glob("out*"))


def test_plots_name_joints_and_say_when_nothing_moves(pyrave, scene, tmp_path):
    pytest.importorskip("matplotlib")
    still, moving = tmp_path / "still.svg", tmp_path / "moving.svg"
    assert pyrave("run", scene(), "--steps", "2", "--plot", still).code == 0
    assert "nothing moves" in still.read_text("utf-8")
    from pyrave.plots.motion import plot_motion

    poses = np.tile(np.eye(4), (3, 1, 1))
    values = {
        "time": np.arange(3.0),
        **dict.fromkeys(
            ("kinetic_energy", "potential_energy", "contact_force"), np.full(3, np.nan)
        ),
        "arm/transform": poses,
        "arm/dof_values": np.array([[0.0, 1.0], [0.1, 1.0], [0.2, 1.0]]),
    }
    plot_motion(values, {"arm": ("elbow", "wrist")}, moving)
    said = moving.read_text("utf-8")
    assert "arm elbow" in said
    assert "arm wrist" not in said


def test_a_run_that_needs_too_much_memory_is_refused(pyrave, scene, tmp_path):
    record = tmp_path / "out.npz"
    done = pyrave("run", scene(), "--steps", "20000000", "--record", record)
    assert done.code == 2
    assert "would keep" in done.err
    assert not record.exists()


def test_an_engine_that_there_is_not(pyrave, scene):
    done = pyrave("run", scene(), "--physics", "mujocco")
    assert done.code == 2
    assert "mujocco" in done.err


def test_record_without_physics(pyrave, scene, tmp_path):
    record = tmp_path / "out.npz"
    assert pyrave("run", scene(), "--steps", "3", "--record", record).code == 0
    kept = np.load(record)
    np.testing.assert_allclose(kept["time"], [0, 0.01, 0.02, 0.03])
    assert kept["ball/transform"].shape == (4, 4, 4)
    assert np.isnan(kept["kinetic_energy"]).all()
    assert "floor/transform" not in kept


class TestWithMujoco:
    @pytest.fixture(autouse=True)
    def _mujoco(self):
        pytest.importorskip("mujoco")

    def test_a_ball_falls(self, pyrave, scene, tmp_path):
        record, plot = tmp_path / "out.npz", tmp_path / "out.png"
        pytest.importorskip("matplotlib")
        done = pyrave(
            "run", scene(), "--physics", "mujoco", "--time", "1", "--dt", "0.005",
            "--record", record, "--plot", plot, "--json",
        )  # fmt: skip
        data, kept = done.data, np.load(record)
        mass = 1000 * 4 / 3 * np.pi * 0.1**3
        energy = kept["kinetic_energy"] + kept["potential_energy"]
        height = kept["ball/transform"][:, 2, 3]
        assert height[0] == 1
        assert height[-1] == pytest.approx(0.1, abs=1e-3)
        falling = kept["time"] < 0.4
        np.testing.assert_allclose(energy[falling], energy[0], rtol=0.01)
        assert data["energy_drift"] == pytest.approx(energy[-1] - energy[0])
        weight = mass * 9.79793
        assert kept["contact_force"][-1] == pytest.approx(weight, rel=0.01)
        assert energy[0] == pytest.approx(weight, rel=1e-6)
        assert data["largest_penetration"] == pytest.approx(kept["penetration"].max())
        assert 0 < data["largest_penetration"] < 0.05
        assert data["real_time_factor"] > 0
        assert plot.read_bytes().startswith(b"\x89PNG")

    def test_the_summary_is_printed(self, pyrave, scene):
        done = pyrave("run", scene(), "--physics", "mujoco", "--steps", "2")
        assert "mujoco: " in done.out
        assert "deepest contact 0 mm" in done.out

    def test_scenes_that_name_an_engine_run_with_it(self, pyrave, scene):
        path = scene('<physicsengine type="ode"/>')
        data = pyrave("run", path, "--steps", "1", "--json").data
        assert data["physics_engine"] == "mujoco"


def test_the_picture_is_taken_from_where_it_is_asked(pyrave, environments, tmp_path):
    path = environments / "scenes" / "minimal.env.xml"
    view = ("--eye", -2, 1, "1.5", "--target", 0, 0, "0.2", "--size", "64x48")
    assert pyrave("run", path, "--steps", 0, "--out", tmp_path, *view).code == 0
    env = Environment()
    env.load(path)
    image = env.picture(eye=(-2, 1, 1.5), target=(0, 0, 0.2), size=(64, 48))
    assert (tmp_path / "scene.png").read_bytes() == encode_png(image)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--eye", 1, 2, 3), "are of a picture, name it with --out or --video"),
        (("--out", "new", "--size", "64"), "expected width and height in pixels"),
        (("--out", "new", "--zoom", 0), "zoom is 0"),
        (("--out", "new", "--eye", 1, 2), "requires 3"),
    ],
)
def test_a_wrong_view_is_refused(
    pyrave, environments, tmp_path, monkeypatch, words, said
):
    monkeypatch.chdir(tmp_path)
    done = pyrave("run", environments / "scenes" / "minimal.env.xml", *words)
    assert done.code in {1, 2}
    assert said in done.err
