"""Settings of parts: declared once, given in three forms, checked, copied, saved."""

from __future__ import annotations

import functools
import pickle
import re
import types
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pytest

import pyrave
from pyrave import SettingError, setting
from pyrave.errors import ArgumentError, InterfaceCreationError, PluginError
from pyrave.interfaces import INTERFACE_TYPES, NoSettings, settings_of
from pyrave.interfaces.settings.declarations import SETTING, Setting
from pyrave.interfaces.settings.texts import values_of_words, words_of
from pyrave.interfaces.settings.types import is_simple
from pyrave.plugins import default_registry
from pyrave.plugins.contracts import interface_base, settings_type_of
from pyrave.spatial import Array
from pyrave.testing.scene import KIT_SCENE

FROZEN = dataclass(frozen=True)


@dataclass(frozen=True)
class Inner:
    """A section."""

    depth: float = setting(0.5, "of it", unit="m", least=0.0)


@dataclass(frozen=True)
class Everything:
    """Settings of each type that there is."""

    speed: float = setting(1.0, "how fast", unit="m/s", above=0.0, most=9.0)
    count: int = setting(3, "how many", least=1)
    quiet: bool = setting(False, "whether it says nothing")
    label: str = setting("a", "what it is called")
    mode: Literal["near", "far"] = setting("near", "what it looks for")
    limit: float | None = setting(None, "none: there is none")
    axis: tuple[float, float, float] = setting((0.0, 0.0, 1.0), "unit vector")
    gains: float | tuple[float, ...] = setting(2.0, "of joints", least=0.0)
    names: tuple[str, ...] = setting((), "of joints")
    inner: Inner = Inner()


def with_settings(kind, **methods):
    """Return a class of an interface type with settings, and no other method."""
    base = interface_base(kind)
    needed = {
        name: lambda *_, **__: None for name in getattr(base, "__abstractmethods__", ())
    }
    body = {
        "__doc__": "Has settings.",
        "contract": pyrave.interfaces.CONTRACTS[kind],
        "settings_type": Everything,
        "word_settings": ("speed", "names"),
    }
    return type("Part", (base,), {**needed, **body, **methods})


@pytest.fixture
def env():
    made = pyrave.Environment()
    made.load_string(KIT_SCENE)
    return made


def made(env, kind="module", words="", /, _methods=None, **settings):
    env.register(kind, "Part", with_settings(kind, **(_methods or {})))
    return env.create(kind, f"Part {words}", **settings)


@pytest.mark.parametrize("kind", INTERFACE_TYPES)
def test_all_types_take_settings_and_refuse_others(env, kind):
    part = made(env, kind, "count=4", speed=2, inner=Inner(0.25))
    assert (part.settings.speed, part.settings.count) == (2.0, 4)
    assert part.settings.inner.depth == 0.25
    assert part.args == ()
    with pytest.raises(SettingError, match="Part has no setting 'sped', did you mean"):
        env.create(kind, "Part", sped=2)
    with pytest.raises(SettingError, match="Part has no setting 'sped', did you mean"):
        env.create(kind, "Part sped=2")
    part.change_settings(speed=3, depth=0.125)
    assert (part.settings.speed, part.settings.inner.depth) == (3.0, 0.125)
    with pytest.raises(SettingError, match="speed of Part is -1, expected a number"):
        part.change_settings(speed=-1)
    assert part.settings.speed == 3.0
    copy = part.copy_to(env)
    assert copy.settings == part.settings
    again = env.create(kind, " ".join(("Part", *part.id_words)))
    assert again.settings == part.settings


@pytest.mark.parametrize(
    ("name", "value", "text", "found"),
    [
        ("speed", 2, "2", 2.0),
        ("speed", np.float32(0.5), "0.5", 0.5),
        ("count", 4.0, "4", 4),
        ("quiet", np.True_, "true", True),
        ("quiet", 1, "1", True),
        ("label", "b", "b", "b"),
        ("mode", "far", "FAR", "far"),
        ("limit", None, "none", None),
        ("limit", 3, "3", 3.0),
        ("axis", [1, 0, 0], "1,0,0", (1.0, 0.0, 0.0)),
        ("gains", 5, "5", 5.0),
        ("gains", np.array([1, 2]), "1,2", (1.0, 2.0)),
        ("names", ["a", "b"], "a,b", ("a", "b")),
        ("depth", 1, "1", 1.0),
    ],
)
def test_values_and_words_mean_the_same(env, name, value, text, found):
    one = made(env, "module", **{name: value})
    other = env.create("module", f"Part {name}={text}")
    assert one.settings == other.settings
    settings = one.settings.inner if name == "depth" else one.settings
    assert getattr(settings, name) == found
    assert type(getattr(settings, name)) is type(found)


@pytest.mark.parametrize(
    ("given", "words", "message"),
    [
        ({"speed": "fast"}, "speed=fast",
         "speed of Part is 'fast', expected a number > 0 and <= 9 m/s"),
        ({"speed": 10}, "speed=10", "speed of Part is 10.*, expected a number > 0 and"),
        ({"speed": np.nan}, "speed=nan", "speed of Part is nan, expected"),
        ({"speed": True}, None, "speed of Part is True, expected a number"),
        ({"count": 0}, "count=0", "count of Part is 0, expected a whole number >= 1"),
        ({"count": 1.5}, "count=1.5", "expected a whole number >= 1"),
        ({"quiet": "no"}, "quiet=no", "quiet of Part is 'no', expected true or false"),
        ({"label": 3}, None, "label of Part is 3, expected a text"),
        ({"mode": "fra"}, "mode=fra", "one of near, far, did you mean 'far'"),
        ({"limit": "x"}, "limit=x", "limit of Part is 'x', expected a number or None"),
        ({"axis": [1, 2]}, "axis=1,2", "axis of Part is .*, expected 3 numbers"),
        ({"gains": [1, -1]}, "gains=1,-1", "one number or one for each joint >= 0"),
        ({"names": "ab"}, None, "names of Part is 'ab', expected texts"),
        ({"depth": -1}, "depth=-1", "depth of Part is -1.*, expected a number >= 0 m"),
        ({"inner": 3}, None, "inner of Part is 3, expected Inner"),
        ({"_speed": 3}, "_speed=3", "has no setting '_speed', did you mean 'speed'"),
    ],
)  # fmt: skip
def test_wrong_values_are_named(env, given, words, message):
    part = made(env, "module")
    before = part.settings
    with pytest.raises(SettingError, match=message):
        env.create("module", "Part", **given)
    with pytest.raises(SettingError, match=message):
        part.change_settings(**given)
    assert part.settings is before
    if words is not None:
        with pytest.raises(SettingError, match=message):
            env.create("module", f"Part {words}")


def test_words_without_names_give_settings_in_order(env):
    part = made(env, "module", "2 left right quiet=1")
    assert part.settings.speed == 2.0
    assert part.settings.names == ("left", "right")
    assert part.settings.quiet
    assert values_of_words(Everything, (), "Part", ["speed=2"]) == {"speed": 2.0}
    with pytest.raises(SettingError, match="has the word 'x' behind its id, expected"):
        values_of_words(Everything, (), "Part", ["x"])
    with pytest.raises(SettingError, match="two settings 'speed'"):
        env.create("module", "Part 2 speed=3")
    with pytest.raises(SettingError, match="'speed' as a word and as a keyword"):
        env.create("module", "Part 2", speed=3)


def test_settings_are_there_in_the_constructor_and_ids_are_too(env):
    seen = []

    def begin(self, env, *args):
        pyrave.ModuleBase.__init__(self, env, *args)
        seen.append((self.settings.speed, self.interface_id, self.args))
        # what a constructor makes has settings of its own
        seen.append(env.create("spacesampler", "MT19937", seed=7).settings.seed)

    made(env, "module", "", {"__init__": begin}, speed=4)
    assert seen == [(4.0, "Part", ()), 7]


def test_a_change_that_fails_changes_nothing(env):
    def refuse(self, before):
        assert before.speed == 1.0
        raise OSError("the rotor is stuck")

    part = made(env, "module", "", {"settings_changed": refuse})
    before = part.settings
    with pytest.raises(PluginError, match="the rotor is stuck"):
        part.change_settings(speed=2)
    assert part.settings is before
    with pytest.raises(pyrave.StateError, match=r"change_settings\(name=value\)"):
        part.settings = Everything()


def test_rules_of_several_settings_are_the_authors(env):
    @dataclass(frozen=True)
    class Range:
        low: float = setting(0.0, "start")
        high: float = setting(1.0, "end")

        def __post_init__(self):
            if self.low > self.high:
                raise ValueError(f"low {self.low} is above high {self.high}")

    methods = {"settings_type": Range, "word_settings": ()}
    part = made(env, "module", "", methods, high=3)
    with pytest.raises(SettingError, match=r"Part: low 4\.0 is above high 3\.0"):
        part.change_settings(low=4)
    with pytest.raises(SettingError, match=r"Part: low 2\.0 is above high 1\.0"):
        env.create("module", "Part low=2")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("robot", "GenericRobot"),
        ("kinbody", "GenericKinBody"),
        ("trajectory", "GenericTrajectory"),
        ("controller", "TorqueController"),
        ("module", "jsonrpcserver"),
        ("module", "Bare"),
    ],
)
def test_who_declares_nothing_has_no_settings(env, kind, name):
    class Bare(pyrave.ModuleBase):
        """Declares nothing."""

        contract = 1

        def main(self, args):
            return 0

    env.register("module", "Bare", Bare)
    with pytest.raises(SettingError, match=f"{name} has no setting 'bogus'; .* none"):
        env.create(kind, name, bogus=1)
    with pytest.raises(SettingError, match=f"{name} has no setting 'bogus'; .* none"):
        env.create(kind, f"{name} bogus=1")
    with pytest.raises(SettingError, match=f"{name} has the word 'fast' .* no words"):
        env.create(kind, f"{name} fast")
    part = env.create(kind, name)
    assert part.settings == NoSettings()
    with pytest.raises(SettingError, match=f"{name} has no setting 'bogus'"):
        part.change_settings(bogus=1)


def test_every_installed_id_declares_its_settings():
    registry = default_registry()
    silent = [
        f"{kind} {name}"
        for kind in INTERFACE_TYPES
        for name in registry.ids(kind)
        if settings_type_of(registry.provider(kind, name).load()) is None
    ]
    assert not silent


def test_who_takes_words_gets_them_and_no_keywords(env):
    class Plain(pyrave.ModuleBase):
        """Takes words."""

        contract = 1
        settings_type = None

        def __init__(self, env, *args):
            super().__init__(env, *args)
            self.words = args

        def main(self, args):
            return 0

    env.register("module", "Plain", Plain)
    part = env.create("module", "Plain a speed=2")
    assert part.words == part.args == ("a", "speed=2")
    assert part.settings is None
    text = r"found 'speed': Plain takes words alone; its author .* in settings_type"
    with pytest.raises(SettingError, match=text):
        env.create("module", "Plain", speed=2)
    with pytest.raises(SettingError, match=text):
        part.change_settings(speed=2)
    with pytest.raises(pyrave.StateError, match=r"Plain assigns self\.settings, which"):
        part.settings = 3

    def make(env, *args):
        return Plain(env, *args)

    env.register("module", "Function", make)
    with pytest.raises(SettingError, match=text):
        env.create("module", "Function", speed=2)


def test_functions_that_make_parts_pass_settings_on(env):
    cls = with_settings("module")

    def make(env, *args):
        return cls(env, *args)

    env.register("module", "Function", make)
    assert env.create("module", "Function 2", count=5).settings.count == 5
    with pytest.raises(SettingError, match="Function has no setting 'cuont'"):
        env.create("module", "Function", cuont=5)


def test_settings_of_functions_are_those_of_what_they_return(env):
    def declaring(env, *args):
        return Counter(env, *args)

    def wrong(env, *args):
        return Counter(env, *args)

    def told(env, speed, *args) -> Counter:
        return Counter(env, *args)

    def loose(env, *args) -> pyrave.ModuleBase:
        return Counter(env, *args)

    def unknown(env, *args) -> NobodyHasThis:  # noqa: F821 - known to no one
        return Counter(env, *args)

    declaring.settings_type = CounterSettings
    makers = {
        "class": Counter,
        "attribute": declaring,
        "annotation": told,
        "partial": functools.partial(told, speed=3),
    }
    for name, factory in makers.items():
        env.register("module", name, factory)
        assert list(env.registry.declared_settings("module", name)) == ["count"]
    for factory in (loose, unknown, lambda _: None):
        env.register("module", "open", factory)
        assert env.registry.declared_settings("module", "open") == {}
    wrong.settings_type = dict
    with pytest.raises(pyrave.PluginError, match="declares settings, expected a data"):
        env.register("module", "wrong", wrong)


@dataclass(frozen=True)
class CounterSettings:
    count: int = setting(1, "how often")


class Counter(pyrave.ModuleBase):
    """Counts."""

    contract = 1
    settings_type = CounterSettings

    def main(self, args):
        return 0


@pytest.mark.parametrize(
    ("declaration", "words", "message"),
    [
        (3, (), "declares settings, expected a dataclass"),
        (dataclass(type("S", (), {})), (), "S declares settings and can be changed"),
        (FROZEN(type("S", (), {"__annotations__": {"a": tuple[str, float]}, "a": ()})),
         (), "the setting a of S is tuple, expected bool, int"),
        (FROZEN(type("S", (), {"__annotations__": {"a": list}, "a": None})), (),
         "the setting a of S is list, expected bool, int"),
        (FROZEN(type("S", (), {"__annotations__": {"a": int}})), (),
         "the setting a of S has no default"),
        (FROZEN(type("S", (), {"__annotations__": {"A": int}, "A": 1})), (),
         "has capital letters"),
        (Everything, ("sped",), "has 'sped' in word_settings, did you mean 'speed'"),
    ],
)  # fmt: skip
def test_wrong_declarations_are_told_when_the_class_is_offered(
    env, declaration, words, message
):
    methods = {"settings_type": declaration, "word_settings": words}
    with pytest.raises(PluginError, match=message):
        env.register("module", "Odd", with_settings("module", **methods))


def test_listings_have_names_types_units_and_ranges():
    known = {name: one.to_dict() for name, one in settings_of(Everything).items()}
    assert known["speed"] == {
        "name": "speed", "type": "a number", "default": 1.0, "default_text": "1",
        "unit": "m/s", "range": "> 0 and <= 9", "help": "how fast",
    }  # fmt: skip
    assert known["mode"]["type"] == "one of near, far"
    assert known["depth"]["unit"] == "m"
    assert words_of(Everything()) == ()


def test_engines_are_chosen_in_three_forms_and_stay_on_failure(env):
    before = env.physics_engine
    env.register("physicsengine", "Part", with_settings("physicsengine"))
    env.physics_engine = "Part"
    assert env.physics_engine.settings == Everything()
    engine = env.set_physics_engine("Part", speed=2)
    assert env.physics_engine is engine
    env.physics_engine = before
    assert env.physics_engine is before
    for wrong, error, text in (
        ({"engine": "Part", "sped": 2}, SettingError, "did you mean 'speed'"),
        ({"engine": engine, "speed": 2}, SettingError, "an object has its own"),
        ({"engine": "Prat"}, pyrave.InterfaceNotFoundError, "Part"),
        ({"engine": 3}, ArgumentError, "expected the id of a physicsengine, as"),
        ({"engine": env.robots[0]}, ArgumentError, "physics_engine is <robot"),
    ):
        with pytest.raises(error, match=text):
            env.set_physics_engine(wrong.pop("engine"), **wrong)
        assert env.physics_engine is before

    def refuse(self):
        raise OSError("no licence")

    broken = with_settings("physicsengine", init_environment=refuse)
    env.register("physicsengine", "Broken", broken)
    with pytest.raises(PluginError, match="no licence"):
        env.physics_engine = "Broken"
    assert env.physics_engine is before


def test_checkers_controllers_and_solvers_are_chosen_in_three_forms(env):
    checker = env.set_collision_checker("Native")
    assert env.collision_checker is checker
    with pytest.raises(
        SettingError, match="Native has no setting 'speed'; settings: n"
    ):
        env.set_collision_checker("Native", speed=1)
    assert env.collision_checker is checker
    env.collision_checker = "GenericCollisionChecker"
    env.collision_checker = checker
    robot = env.robots["kit_arm"]
    robot.controller = "IdealController"
    before = robot.controller
    with pytest.raises(SettingError, match="did you mean 'gravity'"):
        robot.set_controller("JointPIDController", gravty=1)
    with pytest.raises(ArgumentError, match="2 values of 'kp', expected one"):
        robot.set_controller("JointPIDController", kp=[1, 2])
    assert robot.controller is before
    servo = robot.set_controller("JointPIDController", kp=[1, 2, 3])
    assert servo.id_words == ("kp=1.0,2.0,3.0",)
    servo.change_settings(kp=7)
    assert robot.clone().controller is not servo
    robot.controller = None
    arm = robot.active_manipulator
    solver = arm.set_ik_solver("Numerical", starts=7)
    assert (arm.ik_solver, solver.starts) == (solver, 7)
    with pytest.raises(SettingError, match="starts of Numerical is 0"):
        arm.set_ik_solver("Numerical", starts=0)
    assert arm.ik_solver is solver
    arm.ik_solver = "Analytic"
    arm.ik_solver = solver
    arm.ik_solver = None


def test_sensors_are_mounted_and_added_in_three_forms(env):
    robot = env.robots["kit_arm"]
    link = robot.links[0]
    spare = env.create("sensor", "BaseLaser2D", max_range=5)
    eye = robot.add_sensor("eye", spare, link=link)
    assert eye.sensor is spare
    with pytest.raises(pyrave.StateError, match="is mounted on"):
        robot.add_sensor("other", spare, link=link)
    with pytest.raises(SettingError, match="did you mean 'max_range'"):
        robot.add_sensor("eye", "BaseLaser2D", link=link, max_rnge=3)
    assert robot.attached_sensors["eye"].sensor is spare
    count = len(env.sensors)
    with pytest.raises(SettingError, match="max_range of BaseLaser2D is -1"):
        env.add("sensor", "BaseLaser2D", max_range=-1)
    assert len(env.sensors) == count
    added = env.add("sensor", "BaseLaser2D", max_range=3)
    assert added in list(env.sensors)
    assert added.settings.max_range == 3.0
    with pytest.raises(ArgumentError, match=r"env\.add\('sensor', 'Id'\)"):
        env.add("BaseLaser2D")


def test_clones_pickles_and_files_have_the_settings(env, tmp_path):
    robot = env.robots["kit_arm"]
    robot.set_controller("JointPIDController", kp=[5, 6, 7], gravity=1)
    robot.active_manipulator.set_ik_solver("Numerical", tolerance=1e-6)
    env.add("sensor", "BaseLaser2D", max_range=3)
    env.save(tmp_path / "scene.env.xml")
    again = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own
    loaded = pyrave.load(tmp_path / "scene.env.xml")
    for other in (env.clone(), again, loaded):
        twin = other.robots["kit_arm"]
        assert twin.controller.settings == robot.controller.settings
        solver = twin.active_manipulator.ik_solver
        assert solver.settings.tolerance == 1e-6
        assert other.sensors["BaseLaser2D"].settings.max_range == 3.0


XML = """<environment>
  <module type="Part" count="5">
    <Speed>2</Speed>
  </module>
</environment>"""


def load_part(env, text):
    env.register("module", "Part", with_settings("module", main=lambda *_: 0))
    env.load_string(text)
    return env.modules[0]


def test_elements_and_attributes_of_files_are_settings(tmp_path):
    env = pyrave.Environment()
    part = load_part(env, XML)
    assert (part.settings.speed, part.settings.count) == (2.0, 5)
    assert env.problems == ()
    env.save(tmp_path / "out.env.xml")
    other = load_part(pyrave.Environment(), (tmp_path / "out.env.xml").read_text())
    assert other.settings == part.settings


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("<Speed>2</Speed>", "<Speed>20</Speed>"), "speed of Part is 20.0, expected"),
        (("<Speed>2</Speed>", "<Sped>2</Sped>"), "unknown tag <sped>.*<speed>"),
        (('count="5"', 'count="many"'), "count of Part is 'many', expected a whole"),
        (('"Part"', '"Part bogus=3"'), "Part has no setting 'bogus'"),
    ],
)
def test_wrong_settings_of_files_are_told_with_their_lines(change, message):
    env = pyrave.Environment()
    env.register("module", "Part", with_settings("module", main=lambda *_: 0))
    env.load_string(XML.replace(*change))
    (problem,) = [one for one in env.problems if one.code != "module-failed"]
    assert problem.line in {2, 3}
    assert re.search(message, str(problem))


def test_broken_constructors_are_still_told_with_their_traceback(env):
    def begin(self, env, *args):
        raise OSError("no device")

    with pytest.raises(InterfaceCreationError, match="no device"):
        made(env, "module", "", {"__init__": begin})


@dataclass(frozen=True, slots=True)
class Numbers:
    """Settings with an array and a section that has a default of its own."""

    weights: Array = field(
        default_factory=lambda: np.ones(3),
        metadata={SETTING: Setting("of joints", least=0.0)},
    )
    inner: Inner = Inner(2.0)


def test_arrays_are_compared_and_frozen(env, tmp_path):
    methods = {"settings_type": Numbers, "word_settings": (), "main": lambda *_: 0}
    part = made(env, "module", "weights=1,2,3", methods)
    assert part.id_words == ("weights=1,2,3",)
    part.change_settings(weights=[4, 5, 6])
    assert part.id_words == ("weights=4.0,5.0,6.0",)
    for one in (part.settings, env.create("module", "Part").settings):
        with pytest.raises(ValueError, match="read-only"):
            one.weights[0] = 9
    env.add(part)
    env.save(tmp_path / "scene.env.xml")
    assert "weights=4.0,5.0,6.0" in (tmp_path / "scene.env.xml").read_text()


def test_defaults_of_sections_are_those_of_the_whole(env):
    methods = {"settings_type": Numbers, "word_settings": ()}
    part = made(env, "module", "", methods, depth=3)
    assert (part.settings.inner.depth, part.id_words) == (3.0, ("depth=3.0",))
    part.change_settings(depth=2)
    assert part.id_words == ()
    assert settings_of(Numbers)["depth"].default == 2.0


def test_fixed_settings_are_chosen_at_creation(env):
    @dataclass(frozen=True)
    class Fixed:
        body: str = setting("a", "which", fixed=True)
        speed: float = setting(1.0, "how fast")

    part = made(env, "module", "", {"settings_type": Fixed, "word_settings": ()})
    part.change_settings(body="a", speed=2)
    with pytest.raises(SettingError, match="body of Part counts at creation only"):
        part.change_settings(body="b", speed=3)
    assert part.settings == Fixed("a", 2.0)
    assert env.create("module", "Part", body="b").settings.body == "b"


def test_large_numbers_are_in_range(env):
    assert made(env, "module", limit=1e308).settings.limit == 1e308


@pytest.mark.parametrize(
    "label", ["a b", " a ", '"', 'say "a\\" b', "", "a=b c", "C:\\x"]
)
@pytest.mark.parametrize("names", [(), ("a b", "c,d", '"e', "f")])
def test_texts_with_blanks_are_saved(label, names, tmp_path):
    env = pyrave.Environment()
    part = load_part(env, XML)
    part.change_settings(label=label, names=names)
    env.save(tmp_path / "out.env.xml")
    other = load_part(pyrave.Environment(), (tmp_path / "out.env.xml").read_text())
    assert other.settings == part.settings
    assert env.clone().modules[0].settings == part.settings


def test_elements_say_texts_with_blanks():
    xml = XML.replace("<Speed>2</Speed>", "<label> a b </label>")
    assert load_part(pyrave.Environment(), xml).settings.label == "a b"


def test_help_may_be_given_by_name():
    @dataclass(frozen=True)
    class Pump:
        speed: float = setting(1.5, help="of the rotor", unit="rad/s")

    assert settings_of(Pump)["speed"].help == "of the rotor"


def test_one_number_is_several_of_one(env):
    @dataclass(frozen=True)
    class TickSettings:
        ticks: tuple[float, ...] = setting((), least=0.0)
        axis: tuple[float, float] = setting((0.0, 0.0))

    class Ticks(pyrave.ModuleBase):
        settings_type = TickSettings

    env.register("module", "Ticks", Ticks)
    by_name = env.create("module", "Ticks", ticks=0.5).settings
    assert by_name == env.create("module", "Ticks ticks=0.5").settings
    assert by_name.ticks == (0.5,)
    with pytest.raises(
        SettingError, match=r"axis of Ticks is 0\.5, expected 2 numbers"
    ):
        env.create("module", "Ticks", axis=0.5)


def test_arrays_are_known_behind_an_alias():
    """As `NDArray` of numpy 2.5 is one from Python 3.12 on."""

    class Alias:
        __value__ = np.ndarray[Any, np.dtype[np.float64]]

    assert is_simple(types.GenericAlias(Alias(), (np.float64,)))
