"""Loading: all or nothing, strictness, names, placeholders, saving, permission."""

import logging
import subprocess
import sys

import numpy as np
import pytest

import pyrave
from pyrave import PluginError, ResourceError, SceneError, Severity


def state_of(env):
    return (
        env.describe(),
        env.bodies.names,
        env.sensors.names,
        env.modules.names,
        env.problems,
        env.placeholders,
        env.interfaces,
        env.gravity.tolist(),
        id(env.internals.engines.physics),
        id(env.internals.engines.checker),
        [id(robot.own_controller) for robot in env.robots],
        env.simulation_time,
    )


GRAVITY = "<pyrave><set name='gravity'>[1, 2, 3]</set></pyrave>"


@pytest.mark.parametrize(
    "text",
    [
        "<environment><kinbody>",
        (
            f"<environment>{GRAVITY}<kinbody name='new'><body name='a'>"
            "<translation>1 nan 2</translation></body></kinbody></environment>"
        ),
        (
            f"<environment>{GRAVITY}<physicsengine type='SpyEngine'/>"
            "<collisionchecker type='SpyChecker'/><module type='SpyModule'/>"
            "<sensor type='SpySensor' name='s2'/>"
            "<controller type='SpyController' robot='nobody'/></environment>"
        ),
        (
            "<environment><kinbody name='fine'><body name='b'/></kinbody>"
            "<kinbody name='block'><body name='b'/></kinbody></environment>"
        ),
        "<environment><sensor type='SpySensor' name='stand'/></environment>",
        (
            "<robot name='r2'><kinbody><body name='b'/><joint name='j' type='hinge'>"
            "<body>b</body><body>nowhere</body></joint></kinbody></robot>"
        ),
    ],
    ids=["syntax", "nan", "no-robot", "body-name", "sensor-name", "no-link"],
)
def test_an_error_leaves_the_environment_as_it_was(crowded, text):
    crowded.gravity = (0, 0, -5)
    crowded.step(0.01)
    before = state_of(crowded)
    with pytest.raises(SceneError) as caught:
        crowded.load_string(text)
    assert caught.value.first.severity is Severity.ERROR
    assert state_of(crowded) == before
    crowded.step(0.01)


FAILING = (
    f"<environment>{GRAVITY}<unheardof/>"
    "<kinbody name='new'><body name='b'/></kinbody>"
    "<physicsengine type='SpyEngine'/><collisionchecker type='SpyChecker'/>"
    "<controller type='SpyController' robot='arm'/><sensor type='SpySensor' name='s2'/>"
    "<module type='BadMain' args='x'/><sensor type='BadSensor'/>"
    "<sensor type='NoSuchSensor'/></environment>"
)


@pytest.fixture
def failing(crowded, spies):
    class BadMain(spies.module):
        contract = 1

        def main(self, args):
            raise RuntimeError("main broke")

    class BadSensor(spies.sensor):
        contract = 2

        def __init__(self, env, *args):
            raise RuntimeError("constructor broke")

    class BadInit(spies.controller):
        contract = 2

        def init(self, robot, dof_indices, control_transform):
            raise RuntimeError("init broke")

    class BadEngine(spies.engine):
        contract = 1

        def init_environment(self):
            raise RuntimeError("engine broke")

    class Lazy(spies.module):
        contract = 1

        def main(self, args):
            return 3

    crowded.register("module", "BadMain", BadMain)
    crowded.register("module", "Lazy", Lazy)
    crowded.register("sensor", "BadSensor", BadSensor)
    crowded.register("controller", "BadInit", BadInit)
    crowded.register("physicsengine", "BadEngine", BadEngine)
    return crowded


def test_strict_refuses_with_everything_in_one_go_and_rolls_back(failing):
    before = state_of(failing)
    with pytest.raises(SceneError) as caught:
        failing.load_string(FAILING, strict=True)
    text = str(caught.value)
    for part in ("unheardof", "main broke", "constructor broke", "NoSuchSensor"):
        assert part in text
    assert "4 problems; nothing was loaded" in text
    assert state_of(failing) == before


def test_by_default_failures_are_warnings_with_placeholders(failing):
    report = failing.load_string(FAILING)
    assert {p.severity for p in report.problems} == {Severity.WARNING}
    assert report.problems == failing.problems
    texts = {p.message: p.traceback for p in report.problems if p.traceback}
    assert all("\n" not in message for message in texts)
    assert all(trace.count("Error: ") == 1 for trace in texts.values())
    assert any("main broke" in m and "in main" in t for m, t in texts.items())
    assert any("constructor broke" in m for m in texts)
    assert "new" in failing.bodies
    assert failing.gravity.tolist() == [1, 2, 3]
    kept = [placeholder.interface for placeholder in failing.placeholders]
    assert kept == ["BadSensor", "NoSuchSensor", "BadMain"]
    described = [i.interface for i in failing.describe().interfaces]
    assert described[-3:] == kept


def test_an_unknown_interface_says_so_with_place_and_hint(failing, tmp_path):
    path = tmp_path / "a.env.xml"
    path.write_text("<environment>\n\n<sensor type='SpySensr'/></environment>")
    report = failing.load(path)
    (problem,) = report.problems
    assert problem.code == "unknown-interface"
    assert (problem.file, problem.line) == (str(path), 3)
    assert "SpySensor" in problem.hint
    assert "pyrave plugins" in problem.hint


def test_a_failing_controller_leaves_the_former_one(failing):
    former = failing.robots["arm"].own_controller
    report = failing.load_string(
        "<environment><controller type='BadInit' robot='arm'/></environment>"
    )
    assert "init broke" in report.problems[0].message
    assert failing.robots["arm"].own_controller is former
    assert failing.placeholders[-1].interface == "BadInit"


def test_an_engine_that_fails_to_start_leaves_the_former_one(failing):
    former = failing.physics_engine
    calls = list(former.calls)
    report = failing.load_string(
        "<environment><physicsengine type='BadEngine'/></environment>"
    )
    assert "engine broke" in report.problems[0].message
    assert failing.physics_engine is former
    assert former.calls == calls
    with pytest.raises(PluginError, match="engine broke"):
        failing.physics_engine = "BadEngine"
    assert failing.physics_engine is former


def test_a_module_that_returns_a_failure_is_reported_and_strict_refuses(failing):
    text = "<environment><module type='Lazy'/></environment>"
    report = failing.load_string(text)
    assert "returned 3, not 0" in report.problems[0].message
    failing.remove("Lazy")
    with pytest.raises(SceneError, match="returned 3"):
        failing.load_string(text, strict=True)
    assert "Lazy" not in failing.modules


def test_a_strict_refusal_restores_the_former_engines_and_controller(failing):
    engine, checker = failing.physics_engine, failing.collision_checker
    controller = failing.robots["arm"].own_controller
    failing.step(0.01)
    with pytest.raises(SceneError):
        failing.load_string(FAILING, strict=True)
    assert failing.physics_engine is engine
    assert engine.count == 1
    assert failing.collision_checker is checker
    assert failing.robots["arm"].own_controller is controller


def test_warnings_of_a_load_are_logged_once(failing, caplog):
    with caplog.at_level(logging.WARNING, "pyrave"):
        failing.load_string(FAILING)
    for part in ("unheardof", "main broke", "constructor broke", "NoSuchSensor"):
        assert sum(part in record.message for record in caplog.records) == 1


def test_rename_numbers_bodies_and_sensors(crowded, xml):
    text = xml.environment(
        xml.body(),
        xml.robot(
            extra='<attachedsensor name="eye"><link>lower</link>'
            '<sensor type="SpySensor"/></attachedsensor>'
            '<controller type="SpyController"/>'
        ),
        '<sensor type="SpySensor" name="stand"/>',
    )
    with pytest.raises(SceneError) as caught:
        crowded.load_string(text)
    codes = [p.code for p in caught.value.problems]
    assert codes == ["duplicate-name"] * 3
    assert "rename=True" in str(caught.value)
    report = crowded.load_string(text, rename=True)
    assert [body.name for body in report.bodies] == ["block1", "arm1"]
    assert "stand1" in crowded.sensors
    assert "arm1:eye" in crowded.sensors
    robot = crowded.robots["arm1"]
    assert robot.own_controller.interface_id == "SpyController"
    assert robot.own_controller is not crowded.robots["arm"].own_controller
    crowded.load_string(text, rename=True)
    assert crowded.bodies.names[-2:] == ("block2", "arm2")


def test_read_adds_nothing(crowded, xml, tmp_path):
    path = tmp_path / "more.env.xml"
    path.write_text(xml.environment(xml.body("other")))
    before = state_of(crowded)
    scene = crowded.read(path)
    assert [body.name for body in scene.bodies] == ["other"]
    assert state_of(crowded) == before
    crowded.add_scene(scene)
    assert "other" in crowded.bodies


def test_a_missing_file_names_itself(env, tmp_path):
    with pytest.raises(ResourceError, match=r"nothing\.env\.xml"):
        env.load(tmp_path / "nothing.env.xml")
    with pytest.raises(ResourceError, match=r"nothing\.env\.xml"):
        env.load("nothing.env.xml")


def test_save_and_load_give_an_equal_description(crowded, tmp_path, spies):
    crowded.gravity = (0.5, 0, -3)
    crowded.robots["arm"].dof_values = (0.25, -0.5)
    crowded.bodies["block"].transform = (0.8, 0.6, 0, 0, 1, 2, 3)
    crowded.robots["arm"].dof_velocity_limits = (1.5, 2.5)
    crowded.bodies["block"].links[0].enabled = False
    crowded.modules[0].scene_commands = ()
    losses = crowded.save(tmp_path / "saved.env.xml")
    foreign, gravity = losses
    assert foreign.startswith(
        "warning: interfaces that OpenRAVE does not have are for pyrave alone: "
    )
    assert gravity.startswith("warning: the gravity is that of a physics engine")
    other = pyrave.Environment()
    spies.register(other)
    other.load(tmp_path / "saved.env.xml", strict=True)
    assert other.describe() == crowded.describe()
    assert other.gravity.tolist() == [0.5, 0, -3]
    np.testing.assert_array_equal(
        other.robots["arm"].link_transforms, crowded.robots["arm"].link_transforms
    )
    assert other.robots["arm"].dof_velocity_limits.tolist() == [1.5, 2.5]
    assert other.modules[0].calls == [("main", "one two")]


def test_the_gravity_that_was_set_is_described(env):
    assert env.describe().gravity is None
    env.gravity = (0, 0, 1)
    assert env.describe().gravity == (0.0, 0.0, 1.0)


def test_a_solver_and_a_sensor_given_at_run_time_are_described(crowded):
    robot = crowded.robots["arm"]
    robot.attached_sensors["eye"].sensor = crowded.create("sensor", "SpySensor a b")
    described = crowded.describe().robots[0]
    assert described.attached_sensors[0].interface == "SpySensor a b"


def test_commands_of_a_scene_are_sent_and_described(env, spies):
    class Commanded(spies.module):
        contract = 1

        def __init__(self, env, *args):
            super().__init__(env, *args)
            self.register_command("Remember", self.remember)

        def remember(self, what: str):
            self.calls.append(what)
            return True

    env.register("module", "Commanded", Commanded)
    scene = pyrave.SceneDescription(
        interfaces=(
            pyrave.scene.InterfaceDescription(
                "module", "Commanded", commands=("Remember this", "Forget that")
            ),
        )
    )
    report = env.add_scene(scene)
    assert env.modules[0].calls == [("main", ""), "this"]
    assert any("Forget" in p.message for p in report.problems)
    assert env.describe().interfaces[0].commands == scene.interfaces[0].commands


def test_convert_writes_what_was_read(tmp_path, xml):
    source, target = tmp_path / "a.env.xml", tmp_path / "b.env.xml"
    source.write_text(xml.environment(xml.robot(), xml.body()))
    assert pyrave.convert(source, target) == ()
    assert pyrave.read(target) == pyrave.read(source)


def test_an_unknown_plugin_tag_is_a_warning_that_survives_saving(env, tmp_path):
    report = env.load_string(
        "<environment><plugin>libnosuchthing.so</plugin></environment>"
    )
    (problem,) = report.problems
    assert "nosuchthing" in problem.message
    for _ in range(2):
        env.load_string("<environment><plugin>libnosuchthing.so</plugin></environment>")
    names = [reference.name for reference in env.describe().plugins]
    assert names == ["libnosuchthing.so"]


PLUGIN = """
import pyrave
print("the plugin runs")
class FromPath(pyrave.ModuleBase):
    contract = 1
"""


def test_a_plugin_runs_from_a_path_only_with_permission(env, tmp_path, capsys):
    plugin = tmp_path / "path_plugin_of_a_scene.py"
    plugin.write_text(PLUGIN)
    text = (
        f"<environment><plugin>{plugin}</plugin><module type='FromPath'/></environment>"
    )
    report = env.load_string(text)
    assert "the plugin runs" not in capsys.readouterr().err
    assert len(env.modules) == 0
    assert any("path_plugin_of_a_scene" in p.message for p in report.problems)
    report = env.load_string(text, plugin_paths=[plugin], strict=True)
    assert "the plugin runs" in capsys.readouterr().err
    assert env.modules.names == ("FromPath",)
    with pytest.raises(PluginError, match="does not exist"):
        env.load_string(text, plugin_paths=[tmp_path / "no_such.py"])


def test_a_refused_load_takes_its_path_plugins_out_again(env, tmp_path, capsys):
    plugin = tmp_path / "path_plugin_that_goes.py"
    plugin.write_text(PLUGIN.replace("FromPath", "Gone"))
    known = [record.value for record in env.registry.records()]
    for text, paths in (
        ("<environment><module type='NoSuchThing'/></environment>", [plugin]),
        ("<environment/>", [plugin, tmp_path / "no_such.py"]),
    ):
        with pytest.raises(pyrave.Error):
            env.load_string(text, plugin_paths=paths, strict=True)
        assert "the plugin runs" in capsys.readouterr().err
        assert [record.value for record in env.registry.records()] == known
        assert not env.registry.offers("module", "Gone")
        assert not [name for name in sys.modules if name.endswith("that_goes")]
    report = env.load_string("<environment/>", plugin_paths=[plugin], strict=True)
    assert report.problems == ()
    # what an earlier load was allowed stays, whatever comes of a later one
    with pytest.raises(pyrave.Error):
        env.load_string("<environment>", plugin_paths=[plugin])
    assert env.registry.offers("module", "Gone")


def test_a_registration_ends_with_its_block(env, spies):
    with env.register("sensor", "Brief", spies.sensor):
        assert env.create("sensor", "brief").interface_id == "Brief"
    with pytest.raises(pyrave.InterfaceNotFoundError, match="SpySensor"):
        env.create("sensor", "Brief")
    handle = env.register("sensor", "Brief", spies.sensor)
    handle.close()
    with pytest.raises(pyrave.InterfaceNotFoundError):
        env.create("sensor", "Brief")
    # what one environment registers is not seen in another
    env.register("sensor", "Mine", spies.sensor)
    with pytest.raises(pyrave.InterfaceNotFoundError):
        pyrave.Environment().create("sensor", "Mine")


def test_a_distribution_can_be_named(env, spies):
    env.register("controller", "IdealController", spies.controller)
    assert isinstance(env.create("controller", "IdealController"), spies.controller)
    made = env.create("controller", "pyrave:IdealController")
    assert not isinstance(made, spies.controller)
    assert made.plugin == "pyrave"


def test_a_custom_body_that_fails_becomes_a_generic_one(env):
    class Stubborn(pyrave.KinBody):
        contract = 2

        def init(self, description, model=None):
            raise RuntimeError("will not")

    env.register("kinbody", "Stubborn", Stubborn)
    text = (
        '<environment><kinbody name="k" type="Stubborn"><body name="b"/>'
        "</kinbody></environment>"
    )
    report = env.load_string(text)
    assert "will not" in report.problems[0].message
    assert type(env.bodies["k"]) is pyrave.KinBody
    assert env.describe().bodies[0].interface == "Stubborn"
    with pytest.raises(SceneError, match="will not"):
        env.load_string(text.replace('"k"', '"k2"'), strict=True)
    assert "k2" not in env.bodies


def test_module_short_forms(tmp_path, xml):
    path = tmp_path / "a.env.xml"
    path.write_text(xml.environment(xml.body()))
    assert pyrave.load(path).bodies.names == ("block",)
    assert pyrave.load_string(path.read_bytes()).bodies.names == ("block",)
    assert pyrave.load(path.name, resource_roots=[tmp_path]).bodies.names == ("block",)
    assert pyrave.registry() is pyrave.registry()


@pytest.mark.parametrize("name", ["x" * 5000, "/" + "x" * 5000, "a/" * 5000])
def test_names_that_no_file_can_have(name):
    env = pyrave.Environment()
    for call in (env.load, env.read, env.save):
        with pytest.raises(
            pyrave.ArgumentError, match="too long for the name of a file"
        ):
            call(name)


def test_a_first_load_does_without_what_it_does_not_need():
    """Each of these takes a tenth of its time."""
    program = (
        "import sys\n"
        "from pyrave import near_names\n"
        "near_names.nearest = None\n"
        "import pyrave\n"
        "env = pyrave.load('scenes/demo.env.xml')\n"
        "assert not env.problems\n"
        "for name in ('pyrave._version', 'email.parser', 'numpy.ma', 'numba'):\n"
        "    assert name not in sys.modules, name\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_first_collisions_and_plans_do_without_masked_arrays():
    """`np.unique`, `np.median` and `np.quantile` import them: a tenth of a plan."""
    program = (
        "import sys\n"
        "import numpy as np\n"
        "import pyrave\n"
        "from pyrave.planning.timing.retiming import _indices\n"
        "from pyrave_collision.moving_body import _around\n"
        "from pyrave_ik.arm.null_space import _quantile\n"
        "robot = pyrave.load('scenes/demo.env.xml').robots[0]\n"
        "robot.model.moves_apart(np.array([[1, 2]]), np.arange(3))\n"
        "_indices(robot, [0, 1])\n"
        "links, poses = np.zeros(2, np.int32), np.tile(np.eye(4).ravel(), (2, 1))\n"
        "_around(1, links, poses, np.zeros((2, 32)))\n"
        "_quantile(np.zeros((3, 2)), 0.9)\n"
        "assert 'numpy.ma' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
